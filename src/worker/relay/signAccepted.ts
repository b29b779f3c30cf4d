import type { Address } from 'viem';
import { channels } from '../../platform/database/channels.ts';
import { notifySoon } from '../../platform/database/notifySoon.ts';
import type { Signer } from '../../platform/signers/signer.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import type { ChainContext } from './chainContext.ts';
import type { ChainView } from './chainView.ts';
import { claimRemotely } from './claimRemotely.ts';
import { type Claim, type ClaimOptions, claimRows, highestCost } from './claimRows.ts';
import { suggestFees } from './fees.ts';
import type { Preparations } from './preparations.ts';
import type { Seat } from './seat.ts';
import {
  availableFunds,
  chooseWallet,
  countInFlight,
  isAble,
  isReady,
  listUnpayable,
  noteSignerFailure,
  noteUnpayable,
  type Wallet,
} from './wallet.ts';

/** Signing takes about a third of a millisecond a row, and nothing else runs meanwhile. */
const batchSize = 24;
/** While the database commits what one wallet has signed, another one signs, where there is more than one batch. */
const lanes = 2;
/** An older view is no base for fees. */
const viewMs = 30_000;

export type SigningOutcome =
  /** Everything that can be signed is. */
  | 'drained'
  /** All wallets have as much under way as they may. */
  | 'full'
  /** Nothing was done because nobody knows what the chain says now. */
  | 'blind';

/**
 * Signs what is accepted, batch by batch, each with the wallet that suits best, and hands the bytes to that wallet's
 * sender. Signers outside of the process are not waited for: `wake` is called when there may be more to sign after one is done.
 */
export async function signAccepted(
  context: ChainContext,
  { preparations, wake }: { preparations: Preparations; wake(): void },
): Promise<SigningOutcome> {
  const options = { preparations, wake, claiming: new Set<Wallet>(), exhausted: new Set<Wallet>() };
  // A second lane would find nothing, as long as one batch holds all there is.
  const outcome = await signLane(context, { ...options, endsWithFullBatch: true });
  if (outcome !== 'more') return outcome;
  const outcomes = await Promise.all(
    Array.from({ length: lanes }, () => signLane(context, { ...options, endsWithFullBatch: false })),
  );
  return outcomes.find((of) => of === 'full' || of === 'blind') ?? 'drained';
}

async function signLane(
  context: ChainContext,
  options: {
    preparations: Preparations;
    wake(): void;
    claiming: Set<Wallet>;
    /** Those for which nothing is left, though others may have to sign what is. */
    exhausted: Set<Wallet>;
    endsWithFullBatch: boolean;
  },
): Promise<SigningOutcome | 'more'> {
  const { settings, seats } = context;
  const { preparations, claiming, exhausted, endsWithFullBatch } = options;
  for (const { wallet } of seats.values()) wallet.isAwaited ||= wallet.isSigning;
  for (;;) {
    const { view } = context;
    if (!view || performance.now() - view.readAt > viewMs) return 'blind';
    // Above the cap nothing could be mined: it waits unsigned, where it holds up no nonce.
    if (!suggestFees(view, settings.maxFeePerGas) || preparations.isBusy()) return 'drained';
    const wallets = [...seats.values()]
      .map(({ wallet }) => wallet)
      .filter((wallet) => !claiming.has(wallet) && !exhausted.has(wallet));
    const wallet = chooseWallet(wallets, settings);
    const seat = wallet && seats.get(wallet.address);
    if (!seat) return wallets.some(isReady) ? 'full' : 'drained';
    if (wallet.signer?.isLocal === false) {
      claimInBackground(context, { seat, view, ...options });
      continue;
    }
    claiming.add(wallet);
    try {
      const { left, keepers } = await claimOnce(context, { seat, view, preparations });
      if (left === 'nothing') return 'drained';
      if (left === 'more' && endsWithFullBatch) return 'more';
      if (left !== 'others') continue;
      exhausted.add(wallet);
      // What this one might have signed but for its funds, another one may; else only those for which something is kept.
      if (listUnpayable(wallet).length > 0) continue;
      for (const other of wallets)
        if (!keepers.includes(other.address) && listUnpayable(other).length === 0) exhausted.add(other);
    } finally {
      claiming.delete(wallet);
    }
  }
}

function claimInBackground(
  context: ChainContext,
  {
    seat,
    view,
    preparations,
    wake,
  }: { seat: Seat; view: ChainView; preparations: Preparations; wake(): void },
): void {
  const { wallet } = seat;
  wallet.isSigning = true;
  wallet.isAwaited = false;
  const work = claimOnce(context, { seat, view, preparations })
    .catch((error) => {
      context.logger.error({ err: error, wallet: wallet.address }, 'claiming for a wallet failed');
      noteSignerFailure(wallet);
      return { left: 'more' as const };
    })
    .then(({ left }) => {
      wallet.isSigning = false;
      context.remoteWork.delete(work);
      // Something may have come that the claim had no chance to see.
      if (left === 'more' || wallet.isAwaited) wake();
    });
  context.remoteWork.add(work);
}

/**
 * The fewer, the oftener the wallet's signer has failed in a row: of a batch only what comes before the first failure is kept, and
 * a signer that refuses when it is asked too much at once would refuse for ever.
 */
function batchSizeOf({ signerFailures }: Wallet): number {
  return Math.max(1, Math.floor(batchSize / 4 ** signerFailures));
}

/** What may be left to sign: nothing, something for this wallet, or something for others alone. */
type Left = 'nothing' | 'more' | 'others';

/**
 * So many claims in a row may find nothing that can move although there is more to look at; the next look goes on from there. Few
 * where what was looked at only waits for other wallets.
 */
const mostIdleClaims = { whereNothingMoves: 8, whereOthersSign: 2 };

async function claimOnce(
  context: ChainContext,
  { seat, view, preparations }: { seat: Seat; view: ChainView; preparations: Preparations },
): Promise<{ left: Left; keepers: readonly Address[] }> {
  const { wallet } = seat;
  const { signer } = wallet;
  if (!signer) return { left: 'others', keepers: [...context.seats.keys()] };
  const keepers = new Set<Address>();
  const is = (left: Left) => ({ left, keepers: [...keepers] });
  for (let idle = 1; ; idle++) {
    const options = buildClaim(context, { wallet, signer, view, preparations });
    const claim = await (signer.isLocal
      ? claimRows(context.pool, options)
      : claimRemotely(context.pool, options));
    if (!claim.isHeld) {
      // Another's, or resting: whoever looks after the wallets finds out.
      wallet.isReconciled = false;
      return is('more');
    }
    for (const keeper of claim.keepers) keepers.add(keeper);
    if (claim.signed.length > 0) faultPoint('afterSignCommit');
    passOn(context, { seat, claim, preparations, view });
    if (!isAble(wallet)) return is('more');
    const isMore = claim.isCut || claim.found === options.limit;
    if (isMore && claim.asked + claim.unprepared.length + claim.unpayable.length > 0) return is('more');
    const { whereNothingMoves, whereOthersSign } = mostIdleClaims;
    if (!isMore || idle >= (keepers.size > 0 ? whereOthersSign : whereNothingMoves))
      return is(isMore || claim.hasOthers || claim.unpayable.length > 0 ? 'others' : 'nothing');
  }
}

function buildClaim(
  { holder, settings, turns, seats }: ChainContext,
  {
    wallet,
    signer,
    view,
    preparations,
  }: { wallet: Wallet; signer: Signer; view: ChainView; preparations: Preparations },
): ClaimOptions {
  const postponed = preparations.listPostponed();
  const waived = [...postponed, ...listUnpayable(wallet)];
  return {
    wallet: { address: wallet.address, signer },
    holder,
    limit: Math.min(batchSizeOf(wallet), settings.maxInFlight - countInFlight(wallet)),
    earliest: earliestBlockTime(view),
    excluded: [...preparations.listRunning(), ...waived],
    waived,
    full: [...seats.values()]
      .filter((seat) => countInFlight(seat.wallet) >= settings.maxInFlight)
      .map((seat) => seat.wallet.address),
    turns,
    funds: availableFunds(wallet),
    findTerms: (row) => preparations.findTerms(row, view),
  };
}

function passOn(
  { logger, pool }: ChainContext,
  {
    seat,
    claim,
    preparations,
    view,
  }: { seat: Seat; claim: Claim; preparations: Preparations; view: ChainView },
): void {
  const { wallet, sender } = seat;
  const { signed, unprepared, unpayable, refused, failure } = claim;
  if (countInFlight(wallet) === 0) wallet.movedAt = performance.now();
  // While a remote signer was asked in vain, the counter may have moved.
  if (signed.length > 0 || wallet.signer?.isLocal) wallet.nextNonce = claim.nextNonce;
  for (const row of signed) wallet.committed.set(row.nonce, highestCost(row));
  sender.push(signed.map(({ hash, raw, traceParent }) => ({ hash, raw, traceParent, everywhere: false })));
  const ids = signed.map(({ id }) => id);
  notifySoon(pool, channels.transactionChanged, ids);
  preparations.forget(ids);

  for (const row of unprepared) preparations.prepare(row, { view, wallet: wallet.address });
  for (const { row, error } of refused) {
    logger.error({ err: error, transaction: row.id }, 'a transaction cannot be signed');
    preparations.postpone(row.id);
  }
  if (signed.length > 0) wallet.signerFailures = 0;
  if (failure) {
    const restMs = noteSignerFailure(wallet);
    logger.error(
      { err: failure, wallet: wallet.address, restMs },
      'a signer does not sign: its wallet rests',
    );
  }
  for (const { id } of unpayable) {
    noteUnpayable(wallet, id);
    logger.warn(
      { wallet: wallet.address, transaction: id },
      'a wallet has too little left for a transaction',
    );
  }
}

/**
 * Unix seconds that the next block has at least: it comes after the newest one, and later by what has passed since that was seen.
 * Only the chain's clock decides about deadlines; that of this machine may be wrong.
 */
function earliestBlockTime({ timestamp, seenAt }: ChainView): bigint {
  const passed = Math.floor((performance.now() - seenAt) / 1_000);
  return timestamp + BigInt(Math.max(passed, 1));
}
