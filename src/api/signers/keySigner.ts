import type { Hex } from 'viem';
import { privateKeyToAddress, sign } from 'viem/accounts';
import type { Signer } from './signer.ts';

/** Signs with a private key that this process holds. The same hash gives the same signature (RFC 6979). */
export function createKeySigner(privateKey: Hex): Signer {
  return {
    address: privateKeyToAddress(privateKey),
    isLocal: true,
    async sign(hash) {
      const { r, s, yParity } = await sign({ hash, privateKey });
      return { r, s, yParity: yParity === 1 ? 1 : 0 };
    },
  };
}
