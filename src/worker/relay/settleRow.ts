import type { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Address, Hex, PublicClient } from 'viem';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { transactionAttempts } from '../../platform/database/tables/transactions.ts';
import type { NodeObjection } from '../../platform/nodes/nodeAnswer.ts';
import type { CountedAdmission } from '../../platform/operations/metrics.ts';
import { type AttemptKey, findFate, type Receipt, readReceipts } from './attemptFate.ts';
import type { ChainView } from './chainView.ts';
import { countGas } from './countGas.ts';
import { failRow, requeueRow } from './endRow.ts';
import { explainRevert } from './explainRevert.ts';
import { findPayer } from './findPayer.ts';
import type { GasLessons } from './gasLessons.ts';
import { type IndexHead, isOnChain } from './indexHead.ts';
import { isPermitUsed } from './isPermitUsed.ts';
import { judgeRow } from './judgeRow.ts';
import { type PermitPlace, readPermitTurn } from './permitTurn.ts';
import { readPredecessor } from './readPredecessor.ts';
import { findRevertReason } from './revertReason.ts';

/** With whether a node has ever accepted its bytes. */
type PassedAttempt = AttemptKey & { readonly isAccepted: boolean };

/** A row whose nonce the chain has used up although the index does not show the permit's effect. */
export type PassedRow = PermitPlace & {
  readonly id: string;
  readonly wallet: Address;
  readonly nonce: number;
  readonly callData: Hex;
  /** Whose usage counts its gas, and the gas counted for the attempt under way. */
  readonly principalId: string | null;
  readonly countedGas: bigint;
  readonly attempts: readonly PassedAttempt[];
  /** Milliseconds since the newest of them was signed. */
  readonly newestAgeMs: number;
  /** Why a node last refused the newest bytes, and its own words. */
  readonly objection: NodeObjection | null;
  readonly objectionText: string | null;
};

export type SettleOptions = {
  pool: pg.Pool;
  chainId: number;
  confirmations: number;
  pollMs: number;
  client: PublicClient;
  endpoints: readonly PublicClient[];
  lessons: GasLessons;
  /** An admitted input has reverted. */
  onReverted?: ((admission: CountedAdmission) => void) | undefined;
  logger: Logger;
};

/** When to check a row again, and since when nodes know nothing of its bytes although a block used up its nonce. */
export type Watch = {
  nextAt: number;
  pauseMs: number;
  absent: { since: number; depthBlock: bigint } | undefined;
};

type Look = {
  row: PassedRow;
  head: IndexHead | undefined;
  view: ChainView;
  watch: Watch;
  /** Per row: consecutive reverts without an explanation. */
  ownReverts: LRUCache<string, Set<Hex>>;
};

/** A nonce counts as used by another transaction only if two checks agree, this many polls apart. */
const absencePolls = 2;
/** A row gets this many nonces at once; each further one takes twice the time of the one before. */
const quickNonces = 2;
const firstNonceMs = 2_000;
const longestNonceMs = 3_600_000;
/**
 * The most reverts of a call that would succeed now: a contract can tell an estimate from a transaction, and let the
 * relay pay for every failed one. The quota refuses only new transactions, so without gas left the first revert is final:
 * what was accepted below the quota would otherwise be paid for this many times. While another principal that has sent the
 * same permit has gas left, the row goes on as that one's.
 */
const mostOwnReverts = 4;
/**
 * After so many nonces a row fails that every node refuses, whatever became of the ones before, and after so many that no node has
 * taken if they say that they will never take it: a single node behind one address may be an odd one.
 */
const mostRefusedNonces = 3;
const mostRejectedNonces = 2;

/**
 * Decides about a row that the chain has passed; returns whether it is settled. Decides only after the index,
 * on the node's chain, has passed the block that the node reports, and the contract says that the permit is
 * unused, because only the index decides about a permit's effect. A row fails only if the contract refuses
 * its call in its turn, without an open predecessor, at the last folded block or several times in a row. After
 * any other failure it gets a new nonce. The gas of each mined attempt counts in the principal's usage.
 */
export async function settleRow(options: SettleOptions, look: Look): Promise<boolean> {
  const { row } = look;
  const receipts = await readReceipts(
    options.client,
    row.attempts.map(({ hash }) => hash),
  );
  const here = receipts.find(({ hash }) =>
    row.attempts.some((key) => key.hash === hash && key.wallet === row.wallet && key.nonce === row.nonce),
  );
  const mined = receipts.find(({ isReverted }) => !isReverted) ?? here;
  return mined ? settleMined(options, look, mined) : settleLost(options, look);
}

async function settleMined(options: SettleOptions, look: Look, receipt: Receipt): Promise<boolean> {
  const { pool, chainId, client, logger } = options;
  const { row, watch, ownReverts } = look;
  watch.absent = undefined;
  if (receipt.isReverted) watch.pauseMs = options.pollMs;
  // A transaction that falls out can be mined again, and need not revert then.
  if (!(await hasPassed(options, look, receipt.blockNumber))) return false;
  // It reverts because the permit has taken effect, or because another permit has its nonce.
  if (await isPermitUsed(pool, row.id)) return false;
  const turn = await readPermitTurn(client, row);
  if (turn === 'used' || (!receipt.isReverted && turn === 'unknown' && (await hasCode(client, row))))
    return false;
  const facts = { transaction: row.id, hash: receipt.hash, blockNumber: String(receipt.blockNumber) };
  if (!receipt.isReverted)
    return requeue(options, { row, facts, receipt, why: 'a transaction had no effect' });
  const { predecessor, head } = await readPredecessor(pool, row.id);
  if (predecessor === 'passed' || !head) return false;
  const call = { from: row.wallet, to: row.contract, data: row.callData };
  const judgement = await judgeRow(client, { place: row, call, head });
  if (!judgement || judgement.turn === 'used') return false;
  if (turn === 'later' || judgement.turn === 'later' || predecessor === 'open') {
    ownReverts.delete(row.id);
    return requeue(options, { row, facts, receipt, why: 'a transaction was mined earlier than expected' });
  }
  const reverts = (ownReverts.get(row.id) ?? new Set()).add(receipt.hash);
  ownReverts.set(row.id, reverts);

  const revert = await findRevertReason(
    { client, pool },
    { id: row.id, call, receipt, revert: judgement.revert },
  );
  const mayRepeat = revert.wouldSucceed && reverts.size < mostOwnReverts;
  const payer = mayRepeat ? await findPayer(pool, row.id) : undefined;
  if (payer !== undefined) {
    const why = 'a transaction reverted but would now succeed';
    // Adds more gas each time that it was too little.
    const times = (await ranOut(options, receipt)) ? BigInt(reverts.size) : 1n;
    const { gas } = revert;
    if (gas !== undefined) await options.lessons.note(row, gas);
    const paid = { ...row, principalId: payer };
    return requeue(options, { row: paid, facts, receipt, why, gasEstimate: gas && gas * times });
  }
  const times = revert.wouldSucceed && reverts.size > 1 ? ` ${reverts.size} times` : '';
  // Guests and other senders of the permit read it too: whose quota it is, and which one, is none of their business.
  const quota = mayRepeat ? ', and no quota is left for another attempt' : '';
  const failure = {
    reason: revert.reason,
    message: `The transaction reverted${times}${quota}. ${revert.message}`,
    revert: revert.revert,
    transactionHash: receipt.hash,
    blockNumber: String(receipt.blockNumber),
  };
  const isFailed = await failRow(pool, {
    chainId,
    row,
    failure,
    blockNumber: receipt.blockNumber,
    isPaid: true,
  });
  if (!isFailed) return false;
  // The permit may be sent again, and may then revert again.
  ownReverts.delete(row.id);
  countGas(options, [{ ...row, gas: receipt.gasUsed - row.countedGas }]);
  const admission = await explainRevert({ pool, client }, { id: row.id, blockNumber: receipt.blockNumber });
  if (admission) options.onReverted?.(admission);
  logger.warn({ ...facts, message: failure.message, race: admission?.race }, 'a transaction reverted');
  return true;
}

/** No node knows a mined transaction of the row, though its nonce is used up. */
async function settleLost(options: SettleOptions, look: Look): Promise<boolean> {
  const { pool, chainId, client, endpoints, confirmations, pollMs, logger } = options;
  const { row, view, watch } = look;
  const depth = BigInt(confirmations - 1);
  const depthBlock = view.blockNumber > depth ? view.blockNumber - depth : 0n;
  const fate = await findFate(endpoints, { attempts: row.attempts, depthBlock });
  watch.pauseMs = pollMs;
  if (fate.kind !== 'impossible' && fate.kind !== 'reverted') {
    watch.absent = undefined;
    return false;
  }
  watch.absent ??= { since: performance.now(), depthBlock };
  if (performance.now() - watch.absent.since < absencePolls * pollMs) return false;
  // A node that has lost receipts may have mined it: the index and the contract must not have its effect
  // either.
  if (!(await hasPassed(options, look, watch.absent.depthBlock))) return false;
  if (await isPermitUsed(pool, row.id)) return false;
  if ((await readPermitTurn(client, row)) === 'used') return false;

  const facts = { transaction: row.id, wallet: row.wallet, nonce: row.nonce };
  if (isRefusedAgain(row)) {
    const failure = {
      reason: 'transaction_rejected',
      message: 'No node of the chain accepts the transaction.',
      objection: row.objectionText ?? '',
    };
    logger.error({ ...facts, objection: failure.objection }, 'no node accepts a transaction');
    return failRow(pool, { chainId, row, failure, blockNumber: undefined, isPaid: false });
  }
  return requeue(options, { row, facts, why: 'the nonce was used by another transaction' });
}

/** Whether nodes have refused it under so many nonces that it fails. */
function isRefusedAgain(row: PassedRow): boolean {
  const { objection, objectionText, attempts } = row;
  // Without words, nodes did not answer.
  if (objection !== 'rejected' && (objection !== 'unavailable' || objectionText === null)) return false;
  const taken = new Set(attempts.filter(({ isAccepted }) => isAccepted).map(nonceOf));
  const untaken = attempts.filter((attempt) => !taken.has(nonceOf(attempt)));
  const isRejected = objection === 'rejected' && countNonces(untaken) >= mostRejectedNonces;
  return isRejected || countNonces(attempts) >= mostRefusedNonces;
}

/** Whether the index has passed a block with its confirmations, on the node's chain. */
async function hasPassed(
  { client, confirmations }: SettleOptions,
  { head }: Look,
  blockNumber: bigint,
): Promise<boolean> {
  if (head === undefined || head.number < blockNumber + BigInt(confirmations - 1)) return false;
  return isOnChain(client, head);
}

async function hasCode(client: PublicClient, { contract }: PassedRow): Promise<boolean> {
  return (await client.getCode({ address: contract })) !== undefined;
}

/** Whether a transaction used so much of its gas that it may have been too little. */
async function ranOut({ pool, chainId }: SettleOptions, { hash, gasUsed }: Receipt): Promise<boolean> {
  const { rows } = await pool.query<RowOf<typeof transactionAttempts, 'gas'>>(
    'select gas from service.transaction_attempts where chain_id = $1 and tx_hash = $2',
    [chainId, hash],
  );
  // Each call keeps a 64th of its gas from the calls that it makes.
  return rows.some(({ gas }) => gasUsed * 10n >= BigInt(gas) * 9n);
}

function countNonces(attempts: readonly AttemptKey[]): number {
  return new Set(attempts.map(nonceOf)).size;
}

function nonceOf({ wallet, nonce }: AttemptKey): string {
  return `${wallet} ${nonce}`;
}

/** Has the row signed once more, with growing pauses, because each failure costs gas. */
async function requeue(
  options: SettleOptions,
  again: { row: PassedRow; facts: object; why: string; receipt?: Receipt; gasEstimate?: bigint | undefined },
): Promise<boolean> {
  const { pool, chainId, logger } = options;
  const { row, facts, why, receipt, gasEstimate } = again;
  const surplus = countNonces(row.attempts) - quickNonces;
  const pauseMs = surplus < 0 ? 0 : Math.min(firstNonceMs * 2 ** surplus, longestNonceMs);
  if (row.newestAgeMs < pauseMs) return false;
  logger.warn(facts, `${why}; assigning a new nonce`);
  if (!(await requeueRow(pool, { chainId, row, gasEstimate }))) return false;
  // The gas counted before is that of the next attempt.
  const more = gasEstimate === undefined || gasEstimate < row.countedGas ? 0n : gasEstimate - row.countedGas;
  countGas(options, [{ ...row, gas: (receipt?.gasUsed ?? 0n) + more }]);
  return true;
}
