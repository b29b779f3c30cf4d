import { type Abi, type Hex, toFunctionSelector } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { recoverAddress } from '../../platform/signers/recoverAddress.ts';
import { type CalledPermit, readCreateCall, readInputCall } from '../../protocol/evidence/evidenceCalls.ts';
import type { EvidencePermit } from '../../protocol/evidence/evidenceFile.ts';
import type { SignedMessage } from '../../protocol/evidence/evidenceTypedData.ts';
import { isCanonicalSignature } from '../../protocol/evidence/recoverSigner.ts';

type PermitCore = Omit<EvidencePermit, 'typedData'>;

export type PermitSearch = {
  /** The transaction's call data. */
  readonly data: Hex;
  /** Whether it calls the contract directly. */
  readonly isDirect: boolean;
  readonly signer: Hex;
  readonly nonce: string;
  readonly kind: 'deployment' | 'input';
  /** The message that the permit's signer signed. */
  buildMessage(permit: PermitCore): SignedMessage;
};

const selectorsOf = {
  deployment: listSelectors(agreementFactoryAbi),
  input: listSelectors(agreementEngineAbi),
};
const readers = {
  deployment: (data: Hex) => readCreateCall(data)?.permit,
  input: (data: Hex) => readInputCall(data)?.permit,
};
/** A call that endlessly repeats a selector would be searched for ever. */
const mostPlaces = 64;

/**
 * The permit with its signature, if it can be read: from the call itself, or from inside a call to another
 * contract that contains it as signed. Otherwise null.
 */
export function findPermit(search: PermitSearch): EvidencePermit | null {
  for (const data of listCalls(search)) {
    const called = readers[search.kind](data);
    if (!called || called.signer !== search.signer) continue;
    const permit = describePermit(called, search.nonce);
    const { digest, typedData } = search.buildMessage(permit);
    if (isSignedBy(search.signer, digest, permit)) return { ...permit, typedData };
  }
  return null;
}

/** The same result as the verifier's, many times faster: with the native library instead of the portable one. */
function isSignedBy(signer: Hex, digest: Hex, { r, s, v }: PermitCore): boolean {
  const yParity = v === 28 ? 1 : 0;
  return (
    isCanonicalSignature({ r, s, yParity: v - 27 }) &&
    recoverAddress(digest, { r, s, yParity })?.toLowerCase() === signer
  );
}

function listCalls({ data, isDirect, kind }: PermitSearch): Hex[] {
  if (isDirect) return [data];
  return selectorsOf[kind].flatMap((selector) => {
    const places: Hex[] = [];
    for (let at = data.indexOf(selector); at !== -1; at = data.indexOf(selector, at + 1))
      if (at % 2 === 0 && places.push(`0x${data.slice(at)}`) >= mostPlaces) break;
    return places;
  });
}

function describePermit({ signer, deadline, v, r, s }: CalledPermit, nonce: string): PermitCore {
  return { signer, nonce, deadline: String(deadline), v, r, s };
}

/** The selectors of the functions that take a permit, as in call data. */
function listSelectors(abi: Abi): string[] {
  return abi.flatMap((item) =>
    item.type === 'function' && item.name.endsWith('WithPermit') ? [toFunctionSelector(item).slice(2)] : [],
  );
}
