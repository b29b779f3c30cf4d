import type pg from 'pg';
import type { Logger } from 'pino';
import type { Address, Hex, PublicClient } from 'viem';
import { type AttemptKey, findFate, type Receipt, readReceipts } from './attemptFate.ts';
import type { ChainView } from './chainView.ts';
import { failRow, requeueRow } from './endRow.ts';
import { isPermitUsed } from './isPermitUsed.ts';
import { findRevertReason } from './revertReason.ts';

/** A row whose nonce the chain has used up although the index does not show the permit's effect. */
export type PassedRow = {
  readonly id: string;
  readonly wallet: Address;
  readonly nonce: number;
  readonly contract: Address;
  readonly callData: Hex;
  readonly attempts: readonly AttemptKey[];
  /** What a node last said against the newest bytes. */
  readonly objection: string | null;
};

export type SettleOptions = {
  pool: pg.Pool;
  chainId: number;
  confirmations: number;
  /** How often the chain is looked at. */
  pollMs: number;
  client: PublicClient;
  endpoints: readonly PublicClient[];
  logger: Logger;
};

export type Settlements = {
  /** Looks at the rows of these wallets whose nonce is below `minedCount`; returns how many there are. */
  settle(view: ChainView, wallets: readonly { address: Address; minedCount: number }[]): Promise<number>;
};

/** The index is given so many polls to show what was mined, before receipts are asked for. */
const indexPolls = 1.5;
const rowsAtOnce = 20;
const longestPauseMs = 60_000;
/** Rows that others have settled are forgotten all at once, together with how long the others have waited. */
const mostWatched = 10_000;
/** A nonce is believed to be another transaction's only when it is so at two looks, so many polls apart. */
const absencePolls = 2;
/** A call that reverts once is tried again where it would succeed; not for ever. */
const mostNonces = 3;

type Watch = { nextAt: number; pauseMs: number; absentSince: number | undefined };

/**
 * Decides about rows that the chain has passed. What succeeded is left to the index. What reverted fails once the index has
 * passed its block and that has its confirmations, unless the same call would succeed now. What can no longer be mined, because
 * others used up its nonces, gets a new nonce. What the index shows of the permit comes before all of it.
 */
export function createSettlements(options: SettleOptions): Settlements {
  const { pool, chainId, pollMs } = options;
  const watched = new Map<string, Watch>();
  let position = '';

  const check = async (row: PassedRow, head: bigint | undefined, view: ChainView) => {
    const watch = watched.get(row.id) ?? { nextAt: 0, pauseMs: pollMs, absentSince: undefined };
    watched.set(row.id, watch);
    const isSettled = await settleRow(options, { row, head, view, watch });
    if (isSettled) watched.delete(row.id);
    watch.nextAt = performance.now() + watch.pauseMs;
    watch.pauseMs = Math.min(watch.pauseMs * 2, longestPauseMs);
  };

  return {
    async settle(view, wallets) {
      const { rows, head, last } = await readPassedRows(pool, {
        chainId,
        wallets,
        after: position,
        quietMs: indexPolls * pollMs,
      });
      position = last;
      if (watched.size > mostWatched) watched.clear();
      const due = rows.filter(({ id }) => (watched.get(id)?.nextAt ?? 0) <= performance.now());
      for (const row of due.slice(0, rowsAtOnce)) await check(row, head, view);
      return rows.length;
    },
  };
}

async function settleRow(
  options: SettleOptions,
  { row, head, view, watch }: { row: PassedRow; head: bigint | undefined; view: ChainView; watch: Watch },
): Promise<boolean> {
  const { client, endpoints, confirmations, pollMs } = options;
  const hashes = row.attempts.map(({ hash }) => hash);
  const receipts = await readReceipts(client, hashes);
  if (receipts.some(({ isReverted }) => !isReverted)) return false;
  const here = receipts.find(({ hash }) =>
    row.attempts.some((key) => key.hash === hash && key.wallet === row.wallet && key.nonce === row.nonce),
  );
  if (here) return settleReverted(options, { row, receipt: here, head, watch });

  const depth = BigInt(confirmations - 1);
  const depthBlock = view.blockNumber > depth ? view.blockNumber - depth : 0n;
  const fate = await findFate(endpoints, { attempts: row.attempts, depthBlock });
  watch.pauseMs = pollMs;
  if (fate.kind !== 'impossible' && fate.kind !== 'reverted') {
    watch.absentSince = undefined;
    return false;
  }
  watch.absentSince ??= performance.now();
  if (performance.now() - watch.absentSince < absencePolls * pollMs) return false;
  return replaceLost(options, row);
}

async function settleReverted(
  { pool, chainId, client, confirmations, pollMs, logger }: SettleOptions,
  { row, receipt, head, watch }: { row: PassedRow; receipt: Receipt; head: bigint | undefined; watch: Watch },
): Promise<boolean> {
  watch.pauseMs = pollMs;
  // What falls out can be mined once more, and need not revert then.
  if (head === undefined || head < receipt.blockNumber + BigInt(confirmations - 1)) return false;
  // It reverts because the permit has had its effect, or another one has its nonce.
  if (await isPermitUsed(pool, row.id)) return false;
  const facts = { transaction: row.id, hash: receipt.hash, blockNumber: String(receipt.blockNumber) };
  const revert = await findRevertReason({ client, pool }, { row, receipt });
  const nonces = new Set(row.attempts.map(({ wallet, nonce }) => `${wallet} ${nonce}`)).size;
  if (revert.wouldSucceedNow !== undefined && nonces < mostNonces) {
    logger.warn(facts, 'a transaction reverted that would succeed now: it is sent again');
    return requeueRow(pool, { chainId, row, gasEstimate: revert.wouldSucceedNow });
  }
  const failure = {
    reason: revert.reason,
    message: `The transaction reverted. ${revert.message}`,
    transactionHash: receipt.hash,
    blockNumber: String(receipt.blockNumber),
  };
  const isFailed = await failRow(pool, { chainId, row, failure, blockNumber: receipt.blockNumber });
  if (isFailed) logger.warn({ ...facts, message: failure.message }, 'a transaction reverted');
  return isFailed;
}

/** Nothing that was signed for the row can be mined. */
async function replaceLost({ pool, chainId, logger }: SettleOptions, row: PassedRow): Promise<boolean> {
  if (await isPermitUsed(pool, row.id)) return false;
  const facts = { transaction: row.id, wallet: row.wallet, nonce: row.nonce };
  if (row.objection?.startsWith('rejected:')) {
    const failure = {
      reason: 'transaction_rejected',
      message: 'No node of the chain takes the transaction.',
      objection: row.objection.slice('rejected: '.length),
    };
    logger.error({ ...facts, objection: failure.objection }, 'no node takes a transaction');
    return failRow(pool, { chainId, row, failure, blockNumber: undefined });
  }
  logger.warn(facts, 'the nonce was used by another transaction: the row gets a new one');
  return requeueRow(pool, { chainId, row, gasEstimate: undefined });
}

const page = 200;

/** One page of passed rows, in turn: while the index stands still there may be more of them than can be looked at. */
async function readPassedRows(
  pool: pg.Pool,
  query: {
    chainId: number;
    wallets: readonly { address: Address; minedCount: number }[];
    after: string;
    quietMs: number;
  },
): Promise<{ rows: PassedRow[]; head: bigint | undefined; last: string }> {
  const { rows } = await pool.query<{
    id: string | null;
    head: string | null;
    wallet: Address;
    nonce: string;
    contract: Address;
    call_data: Hex;
    attempts: AttemptKey[];
    objection: string | null;
  }>({
    name: 'relay passed',
    text: `
      select it.*, (select head_number from service.projections where chain_id = $1) as head
      from (select 1) as one left join lateral (
        select sent.id, sent.wallet, sent.wallet_nonce as nonce, sent.contract, sent.call_data, (
            select json_agg(json_build_object('id', attempt.id, 'wallet', attempt.wallet, 'nonce', attempt.wallet_nonce,
              'hash', attempt.tx_hash) order by attempt.id)
            from service.transaction_attempts attempt where attempt.transaction_id = sent.id) as attempts, (
            select last_error from service.transaction_attempts newest
            where newest.chain_id = $1 and newest.tx_hash = sent.tx_hash) as objection
        from unnest($2::text[], $3::bigint[]) as wallet(address, mined_count)
        join service.transactions sent on sent.chain_id = $1 and sent.wallet = wallet.address
          and sent.wallet_nonce < wallet.mined_count and sent.state in ('signed', 'broadcast')
        where sent.updated_at < now() - $4 * interval '1 millisecond' and sent.id > $5
        order by sent.id limit $6) it on true`,
    values: [
      query.chainId,
      query.wallets.map(({ address }) => address),
      query.wallets.map(({ minedCount }) => minedCount),
      query.quietMs,
      query.after,
      page,
    ],
  });
  const head = rows[0]?.head ?? null;
  const passed = rows.flatMap((row): PassedRow[] => {
    if (row.id === null) return [];
    return [{ ...row, id: row.id, nonce: Number(row.nonce), callData: row.call_data }];
  });
  return {
    rows: passed,
    head: head === null ? undefined : BigInt(head),
    last: passed.length === page ? (passed.at(-1)?.id ?? '') : '',
  };
}
