import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Queryable } from './database.ts';

/** Any constant works; with the chain's id it names the lock. */
const foldGate = 0x67617465;

/**
 * For a transaction that changes records which a fold of their chain may change too: the fold fails if this transaction
 * commits first. Returns false if a fold holds the gate shut; then the transaction must not go on.
 */
export async function passFoldGate(transaction: Queryable, chainId: number): Promise<boolean> {
  const { rows } = await transaction.execute<{ is_open: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(${foldGate}::int, ${chainId}::int) as is_open`,
  );
  return rows[0]?.is_open === true;
}

/** Waits for the transactions that have passed, and keeps others out until it is opened or the session ends. */
export async function shutFoldGate(client: pg.PoolClient, chainId: number): Promise<void> {
  await client.query('select pg_advisory_lock($1, $2)', [foldGate, chainId]);
}

export async function openFoldGate(client: pg.PoolClient, chainId: number): Promise<void> {
  await client.query('select pg_advisory_unlock($1, $2)', [foldGate, chainId]);
}
