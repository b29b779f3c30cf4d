import { getAddress, isHex, recoverMessageAddress } from 'viem';
import { WalletFaultError } from '../../../client/src/viem/walletFaultError.ts';
import type { Provider } from './guardedProvider.ts';

/** This part loads viem: pages load it when somebody is about to sign. */

type Login = { readonly provider: Provider; readonly account: `0x${string}` };

/**
 * Has the wallet sign a text, which it shows to its owner.
 *
 * @throws WalletError if the wallet fails; WalletFaultError if it signs with another account.
 */
export async function signLogin({ provider, account }: Login, message: string): Promise<`0x${string}`> {
  const bytes = [...new TextEncoder().encode(message)];
  const hex = `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const signature = await provider.request({ method: 'personal_sign', params: [hex, account] });
  if (!isHex(signature)) throw new WalletFaultError('no_signature');
  const signer = await recoverMessageAddress({ message, signature }).catch((cause: unknown) => {
    throw new WalletFaultError('no_signature', { cause });
  });
  if (signer !== getAddress(account)) throw new WalletFaultError('other_signer');
  return signature;
}
