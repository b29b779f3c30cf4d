import {
  type Account,
  type Address,
  createWalletClient,
  custom,
  getAddress,
  type Hex,
  type LocalAccount,
  parseSignature,
  type WalletClient,
} from 'viem';
import type { Signature } from '../types.ts';
import type { ComputedTypedData } from './checkTypedData.ts';

/** `window.ethereum`, what EIP-6963 announces, or anything else that has a `request`. */
export type Eip1193Provider = {
  request(asked: { readonly method: string; readonly params?: unknown }): Promise<unknown>;
};

/** Who signs: a wallet client of viem, a wallet of the browser (EIP-1193), or an account whose key is here. */
export type WalletOptions =
  | { readonly walletClient: WalletClient; readonly account?: Account | Address | undefined }
  | { readonly provider: Eip1193Provider; readonly account?: Address | undefined }
  | { readonly account: LocalAccount };

export type Wallet = {
  readonly address: Address;
  /** Signs typed data of a chain; a browser's wallet is asked to switch to that chain before, where it is on another one. */
  sign(typedData: ComputedTypedData, chainId: number): Promise<Signature>;
};

/** @throws TypeError where there is no account to sign with. */
export async function openWallet(options: WalletOptions): Promise<Wallet> {
  if ('walletClient' in options) return useWalletClient(options.walletClient, options.account);
  if ('provider' in options) {
    const { provider } = options;
    const walletClient = createWalletClient({ transport: custom(typed(provider)) });
    const [first] = options.account ? [options.account] : await walletClient.requestAddresses();
    return useWalletClient(walletClient, first);
  }
  const { account } = options;
  return {
    address: account.address,
    sign: async (typedData) => split(await account.signTypedData(typedData)),
  };
}

/** What each method is answered with is for viem to know. */
function typed(provider: Eip1193Provider): Parameters<typeof custom>[0] {
  return { request: (asked) => provider.request(asked) as Promise<never> };
}

function useWalletClient(walletClient: WalletClient, given: Account | Address | undefined): Wallet {
  const account = given ?? walletClient.account;
  if (!account) throw new TypeError('The wallet client needs an account.');
  const isRemote = typeof account === 'string' || account.type === 'json-rpc';
  return {
    address: getAddress(typeof account === 'string' ? account : account.address),
    async sign(typedData, chainId) {
      if (isRemote && (await walletClient.getChainId()) !== chainId)
        await walletClient.switchChain({ id: chainId });
      return split(await walletClient.signTypedData({ ...typedData, account }));
    },
  };
}

function split(signature: Hex): Signature {
  const { r, s, yParity } = parseSignature(signature);
  return { v: yParity === 0 ? 27 : 28, r, s };
}
