import { decodeAbiParameters, type Hex, stringToHex } from 'viem';
import { hexToBytes } from '../../protocol/hex.ts';
import { storableText } from './storableText.ts';

/** A byte order mark is part of the text. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

type Log = { readonly data: Hex };

/**
 * The docUri of an `AgreementDeployed` event as storable text, and its bytes if that text is not exactly the
 * chain's (invalid UTF-8, NUL characters). So nothing of the event is lost.
 */
export function readDocUri(log: Log): { docUri: string; docUriBytes: Hex | null } {
  const bytes = readDocUriBytes(log);
  const docUri = storableText(utf8.decode(hexToBytes(bytes)));
  return { docUri, docUriBytes: stringToHex(docUri) === bytes ? null : bytes };
}

/** The docUri of an `AgreementDeployed` event, exactly. */
export function readDocUriBytes({ data }: Log): Hex {
  const [bytes] = decodeAbiParameters([{ type: 'bytes' }, { type: 'bytes32' }], data);
  return bytes;
}
