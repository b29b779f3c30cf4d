import { type Address, type Hex, hexToBigInt } from 'viem';
import { recoverAddress } from '../../platform/signers/recoverAddress.ts';

/** A permit's signature in the form of callers and contracts. */
export type PermitSignature = { readonly v: 27 | 28; readonly r: Hex; readonly s: Hex };

const curveOrder = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;

/** Why no contract would accept this signature, whatever it signs; undefined for a well-formed one. */
export function findSignatureFault({ r, s }: PermitSignature): string | undefined {
  const isInField = [r, s].every((part) => hexToBigInt(part) > 0n && hexToBigInt(part) < curveOrder);
  if (!isInField) return 'r and s must be above 0 and below the curve order.';
  if (hexToBigInt(s) > curveOrder / 2n)
    return 'The contracts reject signatures with a high s value: use the low s form.';
  return undefined;
}

/** The address that signed this digest; undefined if r is not a point of the curve. */
export function recoverSigner(digest: Hex, { v, r, s }: PermitSignature): Address | undefined {
  return recoverAddress(digest, { r, s, yParity: v === 28 ? 1 : 0 });
}
