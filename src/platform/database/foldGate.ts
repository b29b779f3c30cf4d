import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Queryable } from './database.ts';

/** Any constant works; with the chain's id it names the lock. */
const foldGate = 0x67617465;

/**
 * For a transaction that changes records which a fold of their chain may change as well. It waits while such a fold
 * holds the gate shut; otherwise the fold fails if this transaction commits first.
 */
export async function passFoldGate(transaction: Queryable, chainId: number): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock_shared(${foldGate}::int, ${chainId}::int)`);
}

/** Waits for the transactions that have passed, and keeps others out until it is opened or the session ends. */
export async function shutFoldGate(client: pg.PoolClient, chainId: number): Promise<void> {
  await client.query('select pg_advisory_lock($1, $2)', [foldGate, chainId]);
}

export async function openFoldGate(client: pg.PoolClient, chainId: number): Promise<void> {
  await client.query('select pg_advisory_unlock($1, $2)', [foldGate, chainId]);
}
