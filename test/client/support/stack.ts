import { type Address, createWalletClient, http, numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { inject } from 'vitest';
import { AgreementsClient, type ClientOptions } from '../../../client/src/index.ts';
import type { SharedStack } from './globalStack.ts';

/** The chain of these tests' agreements. */
export const chainId = 59141;

export const stack = await readStack();
const { rpcUrl: url } = stack.chains.find((chain) => chain.chainId === chainId) ?? { rpcUrl: '' };
export const rpcUrl = url;

/** Waits for the stack, which starts beside the first tests of other projects. */
async function readStack(): Promise<SharedStack> {
  const response = await fetch(inject('stackUrl'));
  if (!response.ok) throw new Error(await response.text());
  return Object(await response.json());
}

export function createClient(options: Partial<ClientOptions> = {}): AgreementsClient {
  return new AgreementsClient({ baseUrl: stack.baseUrl, apiKey: stack.apiKey, ...options });
}

/** A new wallet: its nonces are 0 everywhere. */
export const createAccount = () => privateKeyToAccount(generatePrivateKey());
export type Account = ReturnType<typeof createAccount>;

export const walletClientOf = (account: Account) => createWalletClient({ account, transport: http(rpcUrl) });

type Asked = { method: string; params?: unknown };

/**
 * A wallet as browsers have it (EIP-1193). It starts on another chain, and refuses to sign for any chain
 * except its current one.
 */
export function createBrowserWallet(account: Account, options: { onChain?: number } = {}) {
  const asked: string[] = [];
  let current = options.onChain ?? 1;
  const answer = async ({ method, params }: Asked): Promise<unknown> => {
    asked.push(method);
    const list = Array.isArray(params) ? params : [];
    switch (method) {
      case 'eth_requestAccounts':
        return [account.address.toLowerCase()];
      case 'eth_chainId':
        return numberToHex(current);
      case 'wallet_switchEthereumChain':
        current = Number(list[0].chainId);
        return null;
      case 'eth_signTypedData_v4': {
        const [signer, text]: [Address, string] = [list[0], list[1]];
        const typedData = JSON.parse(text);
        if (signer.toLowerCase() !== account.address.toLowerCase()) throw new Error('another account');
        if (Number(typedData.domain.chainId) !== current) throw new Error('another chain');
        return account.signTypedData(typedData);
      }
      default:
        throw Object.assign(new Error(`${method} is not supported`), { code: 4200 });
    }
  };
  // The provider's type has a result type for each method, but here one function answers all methods.
  const provider = { request: (request: Asked) => answer(request) } as never;
  return { provider, asked };
}
