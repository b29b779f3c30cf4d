import { type Hex, recoverAddress } from 'viem';
import { lowerHex } from './evidenceFile.ts';

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export type EvidenceSignature = { readonly r: Hex; readonly s: Hex; readonly yParity: number };

/** Whether a signature is in the low form that chains accept, with parity 0 or 1. */
export function isCanonicalSignature({ r, s, yParity }: EvidenceSignature): boolean {
  const [first, second] = [BigInt(r), BigInt(s)];
  const isInRange = first > 0n && first < order && second > 0n && second <= halfOrder;
  // viem would also accept 27 and 28, which no chain uses as a parity.
  return isInRange && (yParity === 0 || yParity === 1);
}

/**
 * The address that signed a hash, in lower case. Undefined if the signature recovers to none, or is in the
 * high form that chains refuse.
 */
export async function recoverSigner(hash: Hex, signature: EvidenceSignature): Promise<Hex | undefined> {
  if (!isCanonicalSignature(signature)) return undefined;
  try {
    return lowerHex(await recoverAddress({ hash, signature }));
  } catch {
    return undefined;
  }
}
