import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Queryable } from '../../platform/database/database.ts';
import { drizzleOptions } from '../../platform/database/database.ts';
import { openFoldGate, shutFoldGate } from '../../platform/database/foldGate.ts';
import { prepareAll } from '../../platform/database/prepareAll.ts';
import { withConnection } from '../../platform/database/withConnection.ts';
import { IndexAbsentError } from './foldFailure.ts';

/** Any constant works; with the chain's id it names the lock for folding a chain. */
const foldLock = 0x666f6c64;

/**
 * After this time the database ends the session of a fold that is idle between its transactions: a worker that is
 * frozen, or whose machine is lost, must not keep its lock. Within transactions another time-out does so.
 */
const longestRest = '10s';

const tryLock = `
  with lock as materialized (select pg_try_advisory_lock($1, $2) as held)
  select held, to_regnamespace('chain_index') is not null as is_there,
    set_config('idle_session_timeout', case when held then '${longestRest}' else '0' end, false)
  from lock`;
const unlock = `select pg_advisory_unlock($1, $2), set_config('idle_session_timeout', '0', false)`;

/**
 * The views are locked before the first query, so that the fold sees one deployment of the index, and in the
 * order in which the indexer replaces them, to avoid a deadlock. A fold reads only new rows of large tables:
 * stale statistics must not lead the planner to read a whole table.
 */
const beginFold = `
  begin isolation level repeatable read;
  set local lock_timeout = '5s';
  set local enable_seqscan = off`;
const lockViews = `
  lock table chain_index.agreements, chain_index.inputs, chain_index.permit_counts, chain_index.blocks, chain_index.heads
    in access share mode`;

/** Without sequential scans, as in `beginFold`. */
const beginFollowing = 'begin; set local enable_seqscan = off';

/** Nobody else can change transactions then. Others can still read them, and store references to them. */
const lockTransactions = 'lock table service.transactions in share row exclusive mode';

type Work<Result> = {
  fold(transaction: Queryable): Promise<Result>;
  /**
   * Work after a fold, if any, before the next fold of this chain. It has its own transaction, which sees concurrent
   * commits, unlike the fold's. It is called again, in a further transaction, as long as it returns true.
   */
  follow(result: Result): ((transaction: Queryable) => Promise<boolean>) | null;
};

/**
 * Runs `fold` as the only fold of this chain in any process, in one transaction that sees one moment of the
 * index. Returns `undefined` if another process is folding. A failure ends the session, and with it
 * transaction and lock. A fold fails if somebody else changes the same rows.
 *
 * @param isGated if true, others wait instead of changing the chain's records and rules of time meanwhile.
 * @param isExclusive if true, others wait instead of changing transactions meanwhile.
 * @throws IndexAbsentError if no indexer has created its views yet.
 */
export function withFoldTransaction<Result>(
  {
    pool,
    chainId,
    isGated,
    isExclusive,
  }: { pool: pg.Pool; chainId: number; isGated: boolean; isExclusive: boolean },
  { fold, follow }: Work<Result>,
): Promise<Result | undefined> {
  return withConnection(pool, async (client, discard) => {
    try {
      const lock = [foldLock, chainId];
      const { rows } = await client.query(tryLock, lock);
      if (rows[0]?.held !== true) return undefined;
      if (rows[0].is_there !== true) throw new IndexAbsentError('The indexer has not created its views yet.');
      if (isGated) await shutFoldGate(client, chainId);
      await client.query(beginFold);
      await client.query(lockViews).catch(failAbsent);
      if (isExclusive) await client.query(lockTransactions);
      const transaction = drizzle(prepareAll(client, 'chain_index'), drizzleOptions);
      const result = await fold(transaction);
      await client.query('commit');
      if (isGated) await openFoldGate(client, chainId);
      const rest = follow(result);
      for (let isMore = rest !== null; rest && isMore; ) {
        await client.query(beginFollowing);
        isMore = await rest(transaction);
        await client.query('commit');
      }
      await client.query(unlock, lock);
      return result;
    } catch (error) {
      discard(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  });
}

/** The indexer locks its views only to replace them. */
function failAbsent(cause: unknown): never {
  const isLocked = cause instanceof pg.DatabaseError && cause.code === '55P03';
  throw isLocked ? new IndexAbsentError('The indexer is replacing its views.', { cause }) : cause;
}
