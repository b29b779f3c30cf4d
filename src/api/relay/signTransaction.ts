import { type Address, type Hex, keccak256, type PrivateKeyAccount } from 'viem';
import type { Fees } from './fees.ts';

export type Call = { readonly to: Address; readonly data: Hex; readonly gas: bigint };
/** The bytes of a transaction, and the hash by which the chain knows it. */
export type SignedTransaction = { readonly hash: Hex; readonly raw: Hex };

/** Makes a call into bytes that any node can send. The same call, nonce and fees give the same bytes. */
export async function signTransaction(
  account: PrivateKeyAccount,
  { call, chainId, nonce, fees }: { call: Call; chainId: number; nonce: number; fees: Fees },
): Promise<SignedTransaction> {
  const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, ...call, ...fees });
  return { raw, hash: keccak256(raw) };
}
