import { requestProviders } from 'mipd';
import { useEffect, useState } from 'preact/hooks';
import { guardProvider, type Provider } from './guardedProvider.ts';
import { toPlainText } from './plainText.ts';
import { findWalletError, WalletError } from './walletError.ts';

/** A wallet that has announced itself (EIP-6963). Its description is shown as text, its icon not at all. */
export type FoundWallet = {
  readonly id: string;
  /** Wallets with the same name also show their domains. */
  readonly name: string;
  readonly provider: Provider;
};

type Announced = FoundWallet & { readonly domain: string };

const longestName = 60;
/** More than anybody has; later announcements are ignored. */
const mostWallets = 20;

const found = new Map<string, Announced>();
const listeners = new Set<() => void>();

requestProviders((detail: unknown) => {
  const wallet = readAnnouncement(detail);
  if (!wallet || found.has(wallet.id) || found.size >= mostWallets) return;
  found.set(wallet.id, wallet);
  for (const tell of listeners) tell();
});

/** The wallets of this browser, as they announce themselves. */
export function useWallets(): readonly FoundWallet[] {
  const [wallets, setWallets] = useState(listWallets);
  useEffect(() => {
    const tell = () => setWallets(listWallets());
    tell();
    listeners.add(tell);
    return () => void listeners.delete(tell);
  }, []);
  return wallets;
}

function listWallets(): readonly FoundWallet[] {
  const all = [...found.values()];
  const isShared = (name: string) => all.filter((other) => isSameName(other.name, name)).length > 1;
  return all.map(({ id, name, domain, provider }) => ({
    id,
    name: isShared(name) && domain !== '' ? `${name} (${domain})` : name,
    provider,
  }));
}

const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Anything can announce itself with any values: each is read once, and cleaned before use. */
function readAnnouncement(detail: unknown): Announced | undefined {
  try {
    const { info, provider } = Object(detail);
    const { uuid, name, rdns } = Object(info);
    const { request } = Object(provider);
    const id = toPlainText(uuid, longestName);
    const domain = toPlainText(rdns, longestName);
    const shown = toPlainText(name, longestName) || domain;
    if (id === '' || shown === '' || typeof request !== 'function') return undefined;
    const guarded = guardProvider((asked) => Reflect.apply(request, provider, [asked]));
    return { id, name: shown, domain, provider: guarded };
  } catch {
    return undefined;
  }
}

/** The first account that the wallet offers. @throws WalletError also if its owner declines. */
export async function connect({ provider }: FoundWallet): Promise<`0x${string}`> {
  return readAccount(await provider.request({ method: 'eth_requestAccounts' }));
}

/** Has the owner choose another account, if the wallet supports it. @throws WalletError like `connect`. */
export async function choose(wallet: FoundWallet): Promise<`0x${string}`> {
  await wallet.provider
    .request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] })
    .catch((error: unknown) => {
      if (findWalletError(error)?.kind !== 'failed') throw error;
    });
  return connect(wallet);
}

/** With its checksum, like every other address on the pages. */
async function readAccount(answer: unknown): Promise<`0x${string}`> {
  const [account]: unknown[] = Array.isArray(answer) ? answer : [];
  if (typeof account !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(account)) throw new WalletError('failed');
  const { writeChecksum } = await import('./writeChecksum.ts');
  return writeChecksum(account);
}
