import { type Address, type Hex, hexToBytes, serializeTransaction } from 'viem';
import type { Signer } from '../../platform/signers/signer.ts';
import { keccak256Bytes } from '../../protocol/keccak.ts';
import type { Fees } from './fees.ts';

export type Call = { readonly to: Address; readonly data: Hex; readonly gas: bigint };
export type SignedTransaction = { readonly hash: Hex; readonly raw: Hex };

/**
 * Signs a call into bytes for any node. Signing the same twice may give other bytes with another hash: until
 * they are stored, they must not leave the process.
 *
 * @throws SigningError if the signer gives no signature.
 */
export async function signTransaction(
  signer: Signer,
  { call, chainId, nonce, fees }: { call: Call; chainId: number; nonce: number; fees: Fees },
): Promise<SignedTransaction> {
  const unsigned = { type: 'eip1559', chainId, nonce, ...call, ...fees } as const;
  const signature = await signer.sign(hash(serializeTransaction(unsigned)));
  const raw = serializeTransaction(unsigned, signature);
  return { raw, hash: hash(raw) };
}

function hash(raw: Hex): Hex {
  return keccak256Bytes(hexToBytes(raw));
}
