import type { Address, PrivateKeyAccount } from 'viem';
import type { WalletView } from './chainView.ts';

/** A wallet of one chain as this process knows it; what counts stands in its row and on the chain. */
export type Wallet = {
  readonly address: Address;
  /** Undefined where its key is not configured any more: what it has signed is still seen through. */
  readonly account: PrivateKeyAccount | undefined;
  /** Whether this process has the lease, and has brought the counter in line with the chain since it got it. */
  isHeld: boolean;
  isReconciled: boolean;
  nextNonce: number;
  view: WalletView;
  /** When `view.minedCount` moved last, by the clock of this process. */
  movedAt: number;
  /** What each nonce that is not mined may cost at most, in wei. */
  readonly committed: Map<number, bigint>;
  status: 'active' | 'unfunded';
  /** A node has said that the funds do not suffice: until then it gets nothing new. */
  restsUntil: number;
  /** Since when the counter could go down, and to what. */
  surplus: { to: number; since: number } | undefined;
};

export function createWallet(address: Address, account: PrivateKeyAccount | undefined): Wallet {
  return {
    address,
    account,
    isHeld: false,
    isReconciled: false,
    nextNonce: 0,
    view: { minedCount: 0, pendingCount: 0, balance: 0n },
    movedAt: performance.now(),
    committed: new Map(),
    status: 'unfunded',
    restsUntil: 0,
    surplus: undefined,
  };
}

/** Takes over what the chain says of the wallet now. */
export function observeWallet(wallet: Wallet, view: WalletView): void {
  if (view.minedCount !== wallet.view.minedCount) wallet.movedAt = performance.now();
  wallet.view = view;
  for (const nonce of wallet.committed.keys()) if (nonce < view.minedCount) wallet.committed.delete(nonce);
}

/** How many of its transactions are signed and not mined. */
export function countInFlight({ nextNonce, view }: Wallet): number {
  return Math.max(0, nextNonce - view.minedCount);
}

/** What is left when everything under way has cost what it may; in wei, possibly negative. */
export function availableFunds({ view, committed }: Wallet): bigint {
  let available = view.balance;
  for (const cost of committed.values()) available -= cost;
  return available;
}

/** For how long nothing has moved although something could: an idle wallet does not stand still. */
export function stalledMs(wallet: Wallet, since = 0): number {
  return performance.now() - Math.max(wallet.movedAt, since);
}

/** The wallet that takes the next transactions: one that moves, with the least under way and then the most funds. */
export function chooseWallet(
  wallets: Iterable<Wallet>,
  { maxInFlight, replaceAfterMs }: { maxInFlight: number; replaceAfterMs: number },
): Wallet | undefined {
  let best: Wallet | undefined;
  for (const wallet of wallets) {
    if (!isReady(wallet) || countInFlight(wallet) >= maxInFlight) continue;
    if (!best || compare(wallet, best, replaceAfterMs) < 0) best = wallet;
  }
  return best;
}

export function isReady({ isHeld, isReconciled, account, status, restsUntil }: Wallet): boolean {
  const isMine = isHeld && isReconciled && account !== undefined;
  return isMine && status === 'active' && restsUntil <= performance.now();
}

function compare(one: Wallet, other: Wallet, replaceAfterMs: number): number {
  const isStuck = (wallet: Wallet) => countInFlight(wallet) > 0 && stalledMs(wallet) > replaceAfterMs;
  return (
    Number(isStuck(one)) - Number(isStuck(other)) ||
    countInFlight(one) - countInFlight(other) ||
    (one.view.balance > other.view.balance ? -1 : 1)
  );
}
