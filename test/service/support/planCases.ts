import type pg from 'pg';

/** How up to date the database's statistics are, and what brings them there from the one before: in this order. */
const statistics = ['stale', 'missing', 'fresh'] as const;
/** As the database plans a prepared statement: for the parameters at hand at first, and later for any. */
const modes = ['force_custom_plan', 'force_generic_plan'] as const;

/** Each age of the statistics with each way to plan. */
export const planCases = statistics.flatMap((state) => modes.map((mode) => ({ state, mode })));

/** Takes statistics of the tables, and keeps the database from doing so by itself later. */
export async function freezeStatistics(pool: pg.Pool, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
    await pool.query(`vacuum (analyze) ${table}`);
  }
}

/** Leaves stale statistics as they are, forgets them, or takes them anew. */
export async function prepareStatistics(
  pool: pg.Pool,
  state: (typeof statistics)[number],
  tables: readonly string[],
): Promise<void> {
  if (state === 'fresh') for (const table of tables) await pool.query(`vacuum (analyze) ${table}`);
  if (state !== 'missing') return;
  await pool.query('delete from pg_statistic where starelid = any($1::regclass[])', [tables]);
  await pool.query(
    `update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
    where oid = any($1::regclass[]) or oid in (select indexrelid from pg_index where indrelid = any($1::regclass[]))`,
    [tables],
  );
}

/** Runs the work, and says what its statements have read of the tables in all. */
export async function measureRows(
  { takeEfforts }: { takeEfforts(): { rowsRead: number; plan: string }[] },
  work: () => Promise<unknown>,
): Promise<{ rowsRead: number; plans: string }> {
  takeEfforts();
  await work();
  const efforts = takeEfforts();
  return {
    rowsRead: efforts.reduce((sum, effort) => sum + effort.rowsRead, 0),
    plans: efforts.map(({ rowsRead, plan }) => `${rowsRead}: ${plan}`).join('\n'),
  };
}
