import type { Address, Hex } from 'viem';
import type { Signer } from '../../platform/signers/signer.ts';
import type { WalletView } from './chainView.ts';

/** A wallet of one chain as known to this process; its row and the chain are authoritative. */
export type Wallet = {
  readonly address: Address;
  /** Undefined if its key is no longer configured: its signed transactions are still followed to their end. */
  readonly signer: Signer | undefined;
  /** Whether this process has the lease, and has reconciled the counter with the chain since. */
  isHeld: boolean;
  isReconciled: boolean;
  nextNonce: number;
  view: WalletView;
  /** When `view.minedCount` last moved, by this process's clock. */
  movedAt: number;
  /** The next transaction for the chain to mine, at the last poll; undefined while nothing is under way. */
  front: Front | undefined;
  /** The highest cost of each unmined nonce, in wei. */
  readonly committed: Map<number, bigint>;
  /** Rows that cost more than it has left, and until when they are left to others. */
  readonly unpayable: Map<string, number>;
  status: 'active' | 'unfunded';
  /** Until this time the wallet gets no rows: a node reported insufficient funds. */
  restsUntil: number;
  /** An external signer works for it: until that is done it gets nothing else. */
  isSigning: boolean;
  /** Whether rows were available meanwhile. */
  isAwaited: boolean;
  /** An external signer signs replacements for nonces in use. */
  isTended: boolean;
  /** Failures of the signer in a row: until then it is not asked for new rows. */
  signerFailures: number;
  signerRestsUntil: number;
  /** Since when the counter could be lowered, and to what. */
  surplus: { to: number; since: number } | undefined;
};

/** The chain's first free nonce, with its newest bytes: somebody else's bytes have no hash here. */
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

/** Takes over the chain's current data about the wallet. */
export function observeWallet(wallet: Wallet, view: WalletView): void {
  if (view.minedCount !== wallet.view.minedCount) wallet.movedAt = performance.now();
  if (view.balance > wallet.view.balance) wallet.unpayable.clear();
  wallet.view = view;
  for (const nonce of wallet.committed.keys()) if (nonce < view.minedCount) wallet.committed.delete(nonce);
}

/**
 * Notes the wallet's next transaction for the chain to mine; `blockNumber` is the chain's newest block. Blocks are
 * counted from the first poll that found it there; after a reorg below that block, from the new head.
 */
export function observeFront(
  wallet: Wallet,
  { nonce, hash, blockNumber }: { nonce: number; hash: Hex | undefined; blockNumber: bigint },
): void {
  const { front } = wallet;
  const isKnown = front?.nonce === nonce && front.hash === hash && front.since <= blockNumber;
  if (!isKnown) wallet.front = { nonce, hash, since: blockNumber };
}

/** Number of its signed, unmined transactions. */
export function countInFlight({ nextNonce, view }: Wallet): number {
  return Math.max(0, nextNonce - view.minedCount);
}

/** The funds left after everything under way has cost its maximum; in wei, possibly negative. */
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

/** How long nothing has moved although something could: an idle wallet is not stuck. */
export function stalledMs(wallet: Wallet, since = 0): number {
  return performance.now() - Math.max(wallet.movedAt, since);
}

/**
 * How many blocks up to `blockNumber` have left out the wallet's transaction at this nonce: none unless it
 * comes next.
 */
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

/** Whether its transactions have stood still for longer than usual. */
export function isStuck(wallet: Wallet, { replaceAfterMs }: { replaceAfterMs: number }): boolean {
  return countInFlight(wallet) > 0 && stalledMs(wallet) > replaceAfterMs;
}

export function isReady(wallet: Wallet): boolean {
  return isAble(wallet) && !wallet.isSigning;
}

/** Whether it could sign, if its signer is not busy. */
export function isAble(wallet: Wallet): boolean {
  const isMine = wallet.isHeld && wallet.isReconciled && canSign(wallet);
  return isMine && wallet.status === 'active' && wallet.restsUntil <= performance.now();
}

/** Whether there is a signer that has not failed a moment ago. */
export function canSign({ signer, signerRestsUntil }: Wallet): boolean {
  return signer !== undefined && signerRestsUntil <= performance.now();
}

const firstSignerRestMs = 500;
const longestSignerRestMs = 60_000;

/**
 * The pause of a signer doubles after each failure in a row; other wallets take the rows that it did not
 * sign.
 */
export function noteSignerFailure(wallet: Wallet): number {
  const restMs = Math.min(firstSignerRestMs * 2 ** wallet.signerFailures, longestSignerRestMs);
  wallet.signerFailures++;
  wallet.signerRestsUntil = performance.now() + restMs;
  return restMs;
}
