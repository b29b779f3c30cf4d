import type { Address, Hex } from 'viem';
import type { Signer } from '../../platform/signers/signer.ts';
import type { WalletView } from './chainView.ts';

/** A wallet of one chain as this process knows it; what counts stands in its row and on the chain. */
export type Wallet = {
  readonly address: Address;
  /** Undefined where its key is not configured any more: what it has signed is still seen through. */
  readonly signer: Signer | undefined;
  /** Whether this process has the lease, and has brought the counter in line with the chain since it got it. */
  isHeld: boolean;
  isReconciled: boolean;
  nextNonce: number;
  view: WalletView;
  /** When `view.minedCount` moved last, by the clock of this process. */
  movedAt: number;
  /** What the chain would have to mine next, as of the last look; undefined while nothing is under way. */
  front: Front | undefined;
  /** What each nonce that is not mined may cost at most, in wei. */
  readonly committed: Map<number, bigint>;
  /** Rows that cost more than it has left, and until when they are left to others. */
  readonly unpayable: Map<string, number>;
  status: 'active' | 'unfunded';
  /** A node has said that the funds do not suffice: until then it gets nothing new. */
  restsUntil: number;
  /** A signer that is not in this process is at work for it: until it is done it gets nothing else. */
  isSigning: boolean;
  /** Whether it could have been given something meanwhile. */
  isAwaited: boolean;
  /** The same for other bytes of nonces that are in use. */
  isTended: boolean;
  /** The signer has failed so often in a row: until then it is not asked for anything new. */
  signerFailures: number;
  signerRestsUntil: number;
  /** Since when the counter could go down, and to what. */
  surplus: { to: number; since: number } | undefined;
};

/** The first nonce that the chain has free, with the newest bytes for it: those of somebody else have no hash here. */
export type Front = {
  readonly nonce: number;
  readonly hash: Hex | undefined;
  /** The newest block when this process first saw it so. */
  readonly since: bigint;
};

export function createWallet(address: Address, signer: Signer | undefined): Wallet {
  return {
    address,
    signer,
    isHeld: false,
    isReconciled: false,
    nextNonce: 0,
    view: { minedCount: 0, pendingCount: 0, balance: 0n },
    movedAt: performance.now(),
    front: undefined,
    committed: new Map(),
    unpayable: new Map(),
    status: 'unfunded',
    restsUntil: 0,
    isSigning: false,
    isAwaited: false,
    isTended: false,
    signerFailures: 0,
    signerRestsUntil: 0,
    surplus: undefined,
  };
}

/** Takes over what the chain says of the wallet now. */
export function observeWallet(wallet: Wallet, view: WalletView): void {
  if (view.minedCount !== wallet.view.minedCount) wallet.movedAt = performance.now();
  if (view.balance > wallet.view.balance) wallet.unpayable.clear();
  wallet.view = view;
  for (const nonce of wallet.committed.keys()) if (nonce < view.minedCount) wallet.committed.delete(nonce);
}

/**
 * Takes note of what the chain would have to mine next of the wallet, `blockNumber` being its newest block. Blocks are counted from
 * the first look that found it there; where the chain has gone back to before that, from there.
 */
export function observeFront(
  wallet: Wallet,
  { nonce, hash, blockNumber }: { nonce: number; hash: Hex | undefined; blockNumber: bigint },
): void {
  const { front } = wallet;
  const isKnown = front?.nonce === nonce && front.hash === hash && front.since <= blockNumber;
  if (!isKnown) wallet.front = { nonce, hash, since: blockNumber };
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

const unpayableMs = 5_000;

/** Leaves a row to other wallets for a while. */
export function noteUnpayable(wallet: Wallet, id: string): void {
  wallet.unpayable.set(id, performance.now() + unpayableMs);
}

/** The rows that the wallet cannot pay now. */
export function listUnpayable({ unpayable }: Wallet): string[] {
  const now = performance.now();
  for (const [id, until] of unpayable) if (until <= now) unpayable.delete(id);
  return [...unpayable.keys()];
}

/** For how long nothing has moved although something could: an idle wallet does not stand still. */
export function stalledMs(wallet: Wallet, since = 0): number {
  return performance.now() - Math.max(wallet.movedAt, since);
}

/** How many blocks up to `blockNumber` have left out what the wallet has at this nonce: none unless it comes next. */
export function stalledBlocks(
  { front }: Wallet,
  { nonce, blockNumber }: { nonce: number; blockNumber: bigint },
): number {
  return front?.nonce === nonce ? Number(blockNumber - front.since) : 0;
}

/** Whether it may have more under way. */
export function hasRoom(wallet: Wallet, { maxInFlight }: { maxInFlight: number }): boolean {
  return countInFlight(wallet) < maxInFlight;
}

/** Whether what is under way has stood still for longer than usual. */
export function isStuck(wallet: Wallet, { replaceAfterMs }: { replaceAfterMs: number }): boolean {
  return countInFlight(wallet) > 0 && stalledMs(wallet) > replaceAfterMs;
}

export function isReady(wallet: Wallet): boolean {
  return isAble(wallet) && !wallet.isSigning;
}

/** Whether it could sign, if its signer is not asked for something already. */
export function isAble(wallet: Wallet): boolean {
  const isMine = wallet.isHeld && wallet.isReconciled && canSign(wallet);
  return isMine && wallet.status === 'active' && wallet.restsUntil <= performance.now();
}

/** Whether there is a signer, and it has not failed a moment ago. */
export function canSign({ signer, signerRestsUntil }: Wallet): boolean {
  return signer !== undefined && signerRestsUntil <= performance.now();
}

const firstSignerRestMs = 500;
const longestSignerRestMs = 60_000;

/** After each failure in a row a signer is left alone for twice as long; other wallets take what it did not sign. */
export function noteSignerFailure(wallet: Wallet): number {
  const restMs = Math.min(firstSignerRestMs * 2 ** wallet.signerFailures, longestSignerRestMs);
  wallet.signerFailures++;
  wallet.signerRestsUntil = performance.now() + restMs;
  return restMs;
}
