import { createStore, type EIP6963ProviderDetail } from 'mipd';
import { useEffect, useState } from 'preact/hooks';

/** A wallet that has announced itself (EIP-6963). Its description is shown as text, its icon not at all. */
export type FoundWallet = { readonly id: string; readonly name: string; readonly provider: Provider };
export type Provider = {
  request(asked: { readonly method: string; readonly params?: unknown }): Promise<unknown>;
};

const store = createStore();
const longestName = 60;

/** The wallets of this browser, as they announce themselves. */
export function useWallets(): readonly FoundWallet[] {
  const [found, setFound] = useState<readonly FoundWallet[]>([]);
  useEffect(
    () => store.subscribe((details) => setFound(details.map(toWallet)), { emitImmediately: true }),
    [],
  );
  return found;
}

function toWallet({ info, provider }: EIP6963ProviderDetail): FoundWallet {
  return {
    id: info.uuid,
    name: String(info.name).slice(0, longestName),
    provider: {
      request: ({ method, params }) => Reflect.apply(provider.request, provider, [{ method, params }]),
    },
  };
}

/** The first account that the wallet offers. @throws Error like the wallet, also if its owner declines. */
export async function connect({ provider }: FoundWallet): Promise<`0x${string}`> {
  return readAccount(await provider.request({ method: 'eth_requestAccounts' }));
}

/** Has the owner choose another account, if the wallet supports it. */
export async function choose(wallet: FoundWallet): Promise<`0x${string}`> {
  await wallet.provider
    .request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] })
    .catch(() => undefined);
  return connect(wallet);
}

function readAccount(answer: unknown): `0x${string}` {
  const [account]: unknown[] = Array.isArray(answer) ? answer : [];
  if (typeof account === 'string' && /^0x[0-9a-fA-F]{40}$/.test(account)) return `0x${account.slice(2)}`;
  throw new Error('The wallet has offered no account.');
}

/** Whether the owner has declined in the wallet. */
export function isDeclined(error: unknown): boolean {
  const code = (value: unknown) =>
    typeof value === 'object' && value !== null && 'code' in value ? value.code : undefined;
  const cause = error instanceof Error ? error.cause : undefined;
  return [code(error), code(cause)].includes(4001);
}

/** Has the wallet sign a text, which it shows to its owner. @throws Error like the wallet. */
export async function signMessage(
  { provider, account }: Pick<FoundWallet, 'provider'> & { readonly account: string },
  message: string,
): Promise<string> {
  const bytes = [...new TextEncoder().encode(message)];
  const hex = `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  return String(await provider.request({ method: 'personal_sign', params: [hex, account] }));
}
