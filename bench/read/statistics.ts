import type pg from 'pg';

/** The database's statistics: of a hundredth of the rows, none, or current ones. */
export const statistics = ['stale', 'never', 'run'] as const;
export type Statistics = (typeof statistics)[number];

const list = 'any($1::regclass[])';

/** Prevents statistics of tables except by `gatherStatistics`. */
export async function holdStatistics(pool: pg.Pool, tables: readonly string[]): Promise<void> {
  for (const table of tables) await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
}

/** Deletes all statistics of tables, as if none had ever been gathered. */
export async function forgetStatistics(pool: pg.Pool, tables: readonly string[]): Promise<void> {
  await pool.query(`delete from pg_statistic where starelid = ${list}`, [tables]);
  // Makes the database plan again the queries whose plans use the statistics.
  await pool.query(
    `update pg_class set reltuples = -1, relpages = 0, relallvisible = 0 where oid = ${list}`,
    [tables],
  );
}

export async function gatherStatistics(pool: pg.Pool, tables: readonly string[]): Promise<void> {
  for (const table of tables) await pool.query(`vacuum (analyze) ${table}`);
}
