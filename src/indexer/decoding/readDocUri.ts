import { decodeAbiParameters, type Hex, stringToHex } from 'viem';
import { storableText } from './storableText.ts';

/**
 * The docUri of an `AgreementDeployed` event as storable text, and its bytes if that text is not exactly the
 * chain's (invalid UTF-8, NUL characters). So nothing of the event is lost.
 */
export function readDocUri(event: { args: { docUri: string }; log: { data: Hex } }): {
  docUri: string;
  docUriBytes: Hex | null;
} {
  const docUri = storableText(event.args.docUri);
  const [bytes] = decodeAbiParameters([{ type: 'bytes' }, { type: 'bytes32' }], event.log.data);
  return { docUri, docUriBytes: stringToHex(docUri) === bytes ? null : bytes };
}
