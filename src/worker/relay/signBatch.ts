import { channels } from '../../platform/database/channels.ts';
import { notifySoon } from '../../platform/database/notifySoon.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { highestCost, type SigningWallet } from './assignRows.ts';
import type { ChainContext } from './chainContext.ts';
import type { ChainView } from './chainView.ts';
import { claimRemotely } from './claimRemotely.ts';
import { type Claim, type ClaimOptions, claimRows } from './claimRows.ts';
import { countGas } from './countGas.ts';
import type { Preparations } from './preparations.ts';
import {
  availableFunds,
  countInFlight,
  hasRoom,
  isStuck,
  listUnpayable,
  noteSignerFailure,
  noteUnpayable,
  type Wallet,
} from './wallet.ts';

/**
 * The most rows of a batch. A claim reads every waiting agreement once, whatever it signs of it, so a large batch is
 * cheaper by the row. An external signer takes a request for each row.
 */
const batchSizes = { local: 64, external: 24 };
/**
 * The most claims in a row that find nothing movable although there is more to read; the next claim continues
 * there. Fewer if the read rows only wait for other wallets.
 */
const mostIdleClaims = { whereNothingMoves: 8, whereOthersSign: 2 };

type Batch = { wallets: readonly Wallet[]; view: ChainView; preparations: Preparations };

/**
 * Signs one batch with these wallets, or with a single wallet that has an external signer, and hands it to
 * their senders. Returns whether there may be more to sign.
 */
export async function signBatch(context: ChainContext, batch: Batch): Promise<boolean> {
  for (let idle = 1; ; idle++) {
    const options = buildClaim(context, batch);
    const [first] = options.wallets;
    if (!first) return false;
    const claim = await (first.signer.isLocal
      ? claimRows(context.pool, options)
      : claimRemotely(context.pool, { ...options, wallet: first }));
    const lost = batch.wallets.filter(({ address }) => !claim.nextNonces.has(address));
    // The wallet is leased by another process, or paused: reconciling notices that.
    for (const wallet of lost) wallet.isReconciled = false;
    if (claim.signed.length > 0) faultPoint('afterSignCommit');
    const begun = passOn(context, claim, batch);
    // The rest was counted when they were accepted.
    countGas(
      context,
      claim.signed.map(({ id, principalId, moreGas = 0n }) => ({ id, principalId, gas: moreGas })),
    );
    if (lost.length > 0 || claim.failure !== undefined || claim.unpayable.length > 0) return true;
    const isMore = claim.isCut || claim.found === options.limit;
    if (isMore && claim.asked + begun > 0) return true;
    const { whereNothingMoves, whereOthersSign } = mostIdleClaims;
    if (!isMore || idle >= (claim.waitsForOthers ? whereOthersSign : whereNothingMoves)) return false;
  }
}

function buildClaim(context: ChainContext, { wallets, view, preparations }: Batch): ClaimOptions {
  const { holder, settings, turns, seats } = context;
  const signing = wallets.flatMap((wallet) => readyToSign(wallet, context)).sort(byFunds);
  const waived = [...preparations.listPostponed(), ...unpayableForAll(signing)];
  const room = signing.reduce((sum, wallet) => sum + wallet.room, 0);
  return {
    wallets: signing,
    holder,
    limit: Math.min(Math.max(...wallets.map(batchSizeOf)), room),
    earliest: earliestBlockTime(view),
    excluded: [...preparations.listRunning(), ...waived],
    waived,
    full: [...seats.values()]
      .filter(({ wallet }) => !hasRoom(wallet, settings))
      .map(({ wallet }) => wallet.address),
    turns,
    findTerms: (row) => preparations.findTerms(row, view),
  };
}

/**
 * A smaller batch after each signer failure: only rows before the first failure are kept, so a rate-limited signer
 * would never finish a full batch.
 */
function batchSizeOf({ signer, signerFailures }: Wallet): number {
  const batchSize = signer?.isLocal ? batchSizes.local : batchSizes.external;
  return Math.max(1, Math.floor(batchSize / 4 ** signerFailures));
}

function readyToSign(wallet: Wallet, { settings }: ChainContext): SigningWallet[] {
  const { address, signer } = wallet;
  if (!signer) return [];
  const underWay = countInFlight(wallet);
  return [
    {
      address,
      signer,
      funds: availableFunds(wallet),
      room: settings.maxInFlight - underWay,
      load: isStuck(wallet, settings) ? underWay + settings.maxInFlight : underWay,
      unpayable: new Set(listUnpayable(wallet)),
    },
  ];
}

function byFunds(one: SigningWallet, other: SigningWallet): number {
  return Number(other.funds - one.funds);
}

function unpayableForAll([first, ...others]: readonly SigningWallet[]): string[] {
  if (!first) return [];
  return [...first.unpayable].filter((id) => others.every(({ unpayable }) => unpayable.has(id)));
}

/** Returns how many rows it began to prepare. */
function passOn(
  { logger, pool, seats }: ChainContext,
  claim: Claim,
  { wallets, view, preparations }: Batch,
): number {
  const { signed, unprepared, unpayable, refused, failure } = claim;
  for (const wallet of wallets) {
    const nextNonce = claim.nextNonces.get(wallet.address);
    if (nextNonce === undefined) continue;
    const own = signed.filter((row) => row.wallet === wallet.address);
    if (own.length > 0 && countInFlight(wallet) === 0) wallet.movedAt = performance.now();
    // While a remote signer was asked without a result, the counter may have moved.
    if (own.length > 0 || wallet.signer?.isLocal) wallet.nextNonce = nextNonce;
    for (const row of own) wallet.committed.set(row.nonce, highestCost(row));
    const outgoing = own.map(({ hash, raw, traceParent }) => ({ hash, raw, traceParent, everywhere: false }));
    seats.get(wallet.address)?.sender.push(outgoing);
    if (own.length > 0) wallet.signerFailures = 0;
    if (failure) {
      const restMs = noteSignerFailure(wallet);
      const facts = { err: failure, wallet: wallet.address, restMs };
      logger.error(facts, 'a signer failed to sign; pausing its wallet');
    }
  }
  const ids = signed.map(({ id }) => id);
  notifySoon(pool, channels.transactionChanged, ids);
  preparations.forget(ids);

  const [first] = wallets;
  const begun = unprepared.filter(
    (row) => first && preparations.prepare(row, { view, wallet: row.keeper ?? first.address }),
  );
  for (const { row, error } of refused) {
    logger.error({ err: error, transaction: row.id }, 'a transaction cannot be signed');
    preparations.postpone(row.id);
  }
  for (const { row, wallets: poor } of unpayable) {
    for (const wallet of wallets) if (poor.includes(wallet.address)) noteUnpayable(wallet, row.id);
    const facts = { wallets: poor, transaction: row.id };
    logger.warn(facts, 'the balance of the wallets is too low for a transaction');
  }
  return begun.length;
}

/**
 * The least Unix seconds of the next block: after the newest one, plus the time that has passed since that
 * was seen. Only the chain's clock decides about deadlines; this machine's may be wrong.
 */
function earliestBlockTime({ timestamp, seenAt }: ChainView): bigint {
  const passed = Math.floor((performance.now() - seenAt) / 1_000);
  return timestamp + BigInt(Math.max(passed, 1));
}
