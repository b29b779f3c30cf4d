import type { BrowserContext } from 'playwright-core';
import { numberToHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';

type Asked = { readonly method: string; readonly params?: unknown };

/** The behaviour of a wallet's owner when a page asks for a signature. */
export type Owner = {
  account: PrivateKeyAccount;
  declines: boolean;
  /** Replaces the wallet's correct answer; `behave` gives the correct answer. */
  misbehave?: ((asked: Asked, behave: () => Promise<unknown>) => Promise<unknown>) | undefined;
  readonly asked: string[];
};

const script = `(() => {
  const provider = {
    async request({ method, params }) {
      const { result, error } = await window.askTestWallet({ method, params });
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
  };
  const info = Object.freeze({
    uuid: '3fa1dc6e-5a0e-4b6b-9d9e-9a0a6a5c0d01',
    name: 'Test wallet',
    icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
    rdns: 'org.example.wallet',
  });
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
})()`;

const hexOf = (text: unknown): `0x${string}` => `0x${String(text).slice(2)}`;

/**
 * Puts a wallet into a browser, as extensions do (EIP-6963). An account of viem's answers, on whichever chain
 * the page asks for.
 */
export async function injectWallet(
  context: BrowserContext,
  account: PrivateKeyAccount,
  name = 'Test wallet',
): Promise<Owner> {
  const owner: Owner = { account, declines: false, asked: [] };
  let chainId = 1;
  const answer = async ({ method, params }: Asked): Promise<unknown> => {
    const [first, second]: unknown[] = Array.isArray(params) ? params : [];
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [owner.account.address.toLowerCase()];
      case 'wallet_requestPermissions':
        return [];
      case 'eth_chainId':
        return numberToHex(chainId);
      case 'wallet_switchEthereumChain':
        chainId = Number(typeof first === 'object' && first && 'chainId' in first ? first.chainId : 0);
        return null;
      case 'personal_sign': {
        if (owner.declines) throw Object.assign(new Error('declined'), { code: 4001 });
        return owner.account.signMessage({ message: { raw: hexOf(first) } });
      }
      case 'eth_signTypedData_v4': {
        if (owner.declines) throw Object.assign(new Error('declined'), { code: 4001 });
        return owner.account.signTypedData(JSON.parse(String(second)));
      }
      default:
        throw Object.assign(new Error(`${method} is not supported`), { code: 4200 });
    }
  };
  await context.exposeBinding('askTestWallet', async (_source, asked: Asked) => {
    owner.asked.push(asked.method);
    try {
      const behave = () => answer(asked);
      return { result: await (owner.misbehave ? owner.misbehave(asked, behave) : behave()) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : -32_603;
      return { error: { code, message: error instanceof Error ? error.message : String(error) } };
    }
  });
  await context.addInitScript(script.replace(`'Test wallet'`, JSON.stringify(name)));
  return owner;
}
