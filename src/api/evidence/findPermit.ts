import type { Hex } from 'viem';
import { recoverAddress } from '../../platform/signers/recoverAddress.ts';
import type { Pace } from '../../platform/turns/pace.ts';
import type { EvidencePermit } from '../../protocol/evidence/evidenceFile.ts';
import type { SignedMessage } from '../../protocol/evidence/evidenceTypedData.ts';
import { isCanonicalSignature } from '../../protocol/evidence/recoverSigner.ts';
import type { PermitPlaces, PermitSubject } from './findPermitPlaces.ts';

/** A permit without its message, which would hold the whole payload. */
export type PermitSignature = Omit<EvidencePermit, 'typedData'>;

export type PermitSearch = {
  readonly places: PermitPlaces;
  readonly signer: Hex;
  readonly nonce: string;
  readonly subject: PermitSubject;
  buildMessage(permit: PermitSignature): SignedMessage;
  readonly pace: Pick<Pace, 'breathe'>;
};

/** The permit's signature, if a transaction's data hold it. Otherwise null. It keeps nothing of these data in memory. */
export async function findPermit(search: PermitSearch): Promise<PermitSignature | null> {
  const { places, signer, nonce, subject, buildMessage, pace } = search;
  for (const { deadline, v, r, s } of places.list(signer, subject)) {
    if (!isCanonicalSignature({ r, s, yParity: v - 27 })) continue;
    const permit = { signer, nonce, deadline: String(deadline), v, r, s };
    if (isSignedBy(signer, buildMessage(permit).digest, permit)) return permit;
    await pace.breathe();
  }
  return null;
}

/** The permit with its message, as files hold it. */
export function addMessage(
  permit: PermitSignature | null,
  buildMessage: PermitSearch['buildMessage'],
): EvidencePermit | null {
  return permit && { ...permit, typedData: buildMessage(permit).typedData };
}

/** The same result as the verifier's, many times faster: with the native library instead of the portable one. */
function isSignedBy(signer: Hex, digest: Hex, { r, s, v }: PermitSignature): boolean {
  return recoverAddress(digest, { r, s, yParity: v === 28 ? 1 : 0 })?.toLowerCase() === signer;
}
