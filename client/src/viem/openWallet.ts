import {
  type Account,
  type Address,
  createWalletClient,
  custom,
  getAddress,
  type Hex,
  type LocalAccount,
  parseSignature,
  verifyTypedData,
  type WalletClient,
} from 'viem';
import type { Signature } from '../types.ts';
import type { ComputedTypedData } from './checkTypedData.ts';
import { WalletFaultError } from './walletFaultError.ts';

/** `window.ethereum`, a wallet announced by EIP-6963, or any object with `request`. */
export type Eip1193Provider = {
  request(asked: { readonly method: string; readonly params?: unknown }): Promise<unknown>;
};

/** The signer: a viem wallet client, a browser wallet (EIP-1193), or a local account. */
export type WalletOptions =
  | { readonly walletClient: WalletClient; readonly account?: Account | Address | undefined }
  | { readonly provider: Eip1193Provider; readonly account?: Address | undefined }
  | { readonly account: LocalAccount };

export type Wallet = {
  readonly address: Address;
  /**
   * Signs typed data for a chain; a browser wallet on another chain is first asked to switch.
   *
   * @throws WalletFaultError if a browser wallet stays on another chain, or signs other data or with another account.
   */
  sign(typedData: ComputedTypedData, chainId: number): Promise<Signature>;
};

/** @throws TypeError if there is no account to sign with. */
export async function openWallet(options: WalletOptions): Promise<Wallet> {
  if ('walletClient' in options) return useWalletClient(options.walletClient, options.account);
  if ('provider' in options) {
    const { provider } = options;
    // viem knows the result of each method.
    const request = (asked: Parameters<typeof provider.request>[0]) =>
      provider.request(asked) as Promise<never>;
    const walletClient = createWalletClient({ transport: custom({ request }) });
    const [first] = options.account ? [options.account] : await walletClient.requestAddresses();
    return useWalletClient(walletClient, first);
  }
  const { account } = options;
  return {
    address: account.address,
    sign: async (typedData) => split(await account.signTypedData(typedData)),
  };
}

function useWalletClient(walletClient: WalletClient, given: Account | Address | undefined): Wallet {
  const account = given ?? walletClient.account;
  if (!account) throw new TypeError('The wallet has no account.');
  const isRemote = typeof account === 'string' || account.type === 'json-rpc';
  const address = getAddress(typeof account === 'string' ? account : account.address);
  return {
    address,
    async sign(typedData, chainId) {
      if (isRemote) await requireChain(walletClient, chainId);
      const signature = await walletClient.signTypedData({ ...typedData, account });
      await requireSigner(typedData, address, signature);
      return split(signature);
    },
  };
}

/** Asks the wallet again after it has switched: not every wallet tells the truth. */
async function requireChain(walletClient: WalletClient, chainId: number): Promise<void> {
  if ((await walletClient.getChainId()) === chainId) return;
  await walletClient.switchChain({ id: chainId });
  if ((await walletClient.getChainId()) !== chainId) throw new WalletFaultError('other_chain');
}

async function requireSigner(typedData: ComputedTypedData, address: Address, signature: Hex): Promise<void> {
  const isGenuine = await verifyTypedData({ ...typedData, address, signature }).catch((cause: unknown) => {
    throw new WalletFaultError('no_signature', { cause });
  });
  if (!isGenuine) throw new WalletFaultError('other_signer');
}

function split(signature: Hex): Signature {
  const { r, s, yParity } = parseSignature(signature);
  return { v: yParity === 0 ? 27 : 28, r, s };
}
