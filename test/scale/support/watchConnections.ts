import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

const intervalMs = 200;

/**
 * Counts the connections to the database by their purpose until it is stopped; returns the highest counts.
 */
export function watchConnections(pool: pg.Pool) {
  const most: Record<string, number> = {};
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await pool.query<{ name: string; count: number }>(
        `select application_name as name, count(*)::int as count from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() group by 1`,
      );
      for (const { name, count } of rows) most[name] = Math.max(most[name] ?? 0, count);
      await delay(intervalMs);
    }
  })();
  watching.catch(() => {});
  return {
    async stop(): Promise<Record<string, number>> {
      isOver = true;
      await watching;
      return most;
    },
  };
}
