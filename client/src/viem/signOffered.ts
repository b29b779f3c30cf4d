import type { Hex } from 'viem';
import type { SignableTypedData, Signature } from '../types.ts';
import { type ComputedTypedData, checkTypedData, PermitRefusedError } from './checkTypedData.ts';
import type { Wallet } from './openWallet.ts';

/**
 * Signs typed data if the service offers the same, and would accept them.
 *
 * @throws TypedDataMismatchError, PermitRefusedError, WalletFaultError.
 */
export async function signOffered(
  typedData: ComputedTypedData,
  offered: SignableTypedData,
  { wallet, chainId }: { readonly wallet: Wallet; readonly chainId: number },
): Promise<{ readonly digest: Hex; readonly signature: Signature }> {
  const digest = checkTypedData(typedData, offered);
  if (!offered.verdict.ok) throw new PermitRefusedError(offered.verdict);
  return { digest, signature: await wallet.sign(typedData, chainId) };
}
