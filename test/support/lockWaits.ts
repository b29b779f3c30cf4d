import type pg from 'pg';

/**
 * The process ids of the sessions that wait for a lock, in the caller's database alone: the server may have
 * other databases, whose sessions wait for locks of their own.
 *
 * @param client outside of a transaction: within one, PostgreSQL would give the first answer again and again.
 * @param words only sessions whose statement contains them.
 */
export async function readLockWaits(client: pg.Pool | pg.ClientBase, words = ''): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`,
    [words],
  );
  return rows.map(({ pid }) => pid);
}
