import { recover } from 'tiny-secp256k1';
import { type Address, getAddress, type Hash } from 'viem';
import { keccak256Bytes } from '../../protocol/keccak.ts';
import type { TransactionSignature } from './signer.ts';

/**
 * The address that signed a hash; undefined if the signature has none. `r` and `s` have 32 bytes. It takes a
 * third of a millisecond, a seventh of viem's time.
 */
export function recoverAddress(hash: Hash, { r, s, yParity }: TransactionSignature): Address | undefined {
  const key = findPublicKey(bytesOf(hash), bytesOf(r + s.slice(2)), yParity);
  // The first byte means that both coordinates follow.
  return key && getAddress(`0x${keccak256Bytes(key.subarray(1)).slice(-40)}`);
}

function findPublicKey(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): Uint8Array | undefined {
  try {
    return recover(hash, signature, yParity, false) ?? undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}
