import { channels } from '../database/channels.ts';
import { notifySoon } from '../database/notifySoon.ts';
import { faultPoint } from '../supervision/faultPoint.ts';
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
  isReady,
  noteSignerFailure,
  type Wallet,
} from './wallet.ts';

/** Signing takes about a third of a millisecond a row, and nothing else runs meanwhile. */
const batchSize = 24;
/** While the database commits what one wallet has signed, another one signs, where there is more than one batch. */
const lanes = 2;
/** An older view is no base for fees. */
const viewMs = 30_000;
const restMs = 10_000;

export type PumpOutcome =
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
export async function pump(
  context: ChainContext,
  { preparations, wake }: { preparations: Preparations; wake(): void },
): Promise<PumpOutcome> {
  const options = { preparations, wake, claiming: new Set<Wallet>() };
  // A second lane would find nothing, as long as one batch holds all there is.
  const outcome = await pumpLane(context, { ...options, endsWithFullBatch: true });
  if (outcome !== 'more') return outcome;
  const outcomes = await Promise.all(
    Array.from({ length: lanes }, () => pumpLane(context, { ...options, endsWithFullBatch: false })),
  );
  return outcomes.find((of) => of === 'full' || of === 'blind') ?? 'drained';
}

async function pumpLane(
  context: ChainContext,
  options: {
    preparations: Preparations;
    wake(): void;
    claiming: Set<Wallet>;
    endsWithFullBatch: boolean;
  },
): Promise<PumpOutcome | 'more'> {
  const { settings, seats } = context;
  const { preparations, claiming, endsWithFullBatch } = options;
  for (;;) {
    const { view } = context;
    if (!view || performance.now() - view.readAt > viewMs) return 'blind';
    // Above the cap nothing could be mined: it waits unsigned, where it holds up no nonce.
    if (!suggestFees(view, settings.maxFeePerGas) || preparations.isBusy()) return 'drained';
    const wallets = [...seats.values()].map(({ wallet }) => wallet).filter((wallet) => !claiming.has(wallet));
    const wallet = chooseWallet(wallets, settings);
    const seat = wallet && seats.get(wallet.address);
    if (!seat) return wallets.some(isReady) ? 'full' : 'drained';
    if (wallet.signer?.isLocal === false) {
      claimInBackground(context, { seat, view, ...options });
      continue;
    }
    claiming.add(wallet);
    try {
      if (!(await claimOnce(context, { seat, view, preparations }))) return 'drained';
      if (endsWithFullBatch) return 'more';
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
  const work = claimOnce(context, { seat, view, preparations })
    .catch((error) => {
      context.logger.error({ err: error, wallet: wallet.address }, 'claiming for a wallet failed');
      noteSignerFailure(wallet);
      return true;
    })
    .then((isMore) => {
      wallet.isSigning = false;
      context.remoteWork.delete(work);
      if (isMore) wake();
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

/** Returns whether there may be more to sign. */
async function claimOnce(
  context: ChainContext,
  { seat, view, preparations }: { seat: Seat; view: ChainView; preparations: Preparations },
): Promise<boolean> {
  const { pool, holder, settings } = context;
  const { wallet } = seat;
  const { address, signer } = wallet;
  if (!signer) return false;
  const limit = Math.min(batchSizeOf(wallet), settings.maxInFlight - countInFlight(wallet));
  const options: ClaimOptions = {
    wallet: { address, signer },
    holder,
    limit,
    earliest: earliestBlockTime(view),
    excluded: preparations.excluded(),
    funds: availableFunds(wallet),
    findTerms: (row) => preparations.findTerms(row, view),
  };
  const claim = await (signer.isLocal ? claimRows(pool, options) : claimRemotely(pool, options));
  if (!claim.isHeld) {
    // Another's, or resting: whoever looks after the wallets finds out.
    wallet.isReconciled = false;
    return true;
  }
  if (claim.signed.length > 0) faultPoint('afterSignCommit');
  passOn(context, { seat, claim, preparations, view });
  return claim.found === limit || !isReady(wallet);
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
  const { asked, signed, unprepared, refused, found, failure } = claim;
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
  } else if (asked + unprepared.length === 0 && found > 0) {
    wallet.restsUntil = performance.now() + restMs;
    logger.warn({ wallet: wallet.address }, 'a wallet has too little left for the next transaction');
  }
}

/** Unix seconds that the next block has at least: it comes after the newest one, and not before now. */
function earliestBlockTime({ timestamp }: ChainView): bigint {
  const now = BigInt(Math.floor(Date.now() / 1_000));
  return now > timestamp ? now : timestamp + 1n;
}
