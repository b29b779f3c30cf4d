import type pg from 'pg';
import { readLockWaits } from './lockWaits.ts';
import { waitUntil } from './waitUntil.ts';

/**
 * Starts calls while a lock that they all need is held, and releases it once all of them wait. So no call has
 * read another call's effects before the lock.
 */
export async function heldTogether<Result>(
  pool: pg.Pool,
  {
    lock: [text, values],
    calls,
  }: { lock: readonly [text: string, values: unknown[]]; calls: readonly (() => Promise<Result>)[] },
): Promise<Result[]> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(text, values);
    const results = Promise.all(calls.map((call) => call()));
    results.catch(() => {});
    await waitUntil('all wait for the lock', async () => (await readLockWaits(pool)).length >= calls.length);
    await client.query('rollback');
    return await results;
  } finally {
    client.release(true);
  }
}
