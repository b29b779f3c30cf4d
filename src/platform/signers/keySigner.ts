import { bytesToHex, type Hex, hexToBytes } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { curve } from './curve.ts';
import type { Signer } from './signer.ts';

/** Signs with a private key that this process holds. The same hash gives the same signature (RFC 6979). */
export function createKeySigner(privateKey: Hex): Signer {
  const key = hexToBytes(privateKey);
  return {
    address: privateKeyToAddress(privateKey),
    isLocal: true,
    async sign(hash) {
      const { signature, recoveryId } = curve.sign(hexToBytes(hash), key);
      // A value above 1 would need an r that never occurs in practice.
      const yParity = recoveryId % 2 === 1 ? 1 : 0;
      return { r: bytesToHex(signature.subarray(0, 32)), s: bytesToHex(signature.subarray(32)), yParity };
    },
  };
}
