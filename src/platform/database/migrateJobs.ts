import type pg from 'pg';

/** The table version of the installed graphile-worker: the number of its last migration. */
export const jobTablesVersion = 20;

/**
 * Brings the tables of the jobs up to date. The library is loaded only if there is something to do: most
 * processes only add jobs, which takes one statement.
 */
export async function migrateJobs(client: pg.Client, url: string): Promise<void> {
  if ((await readVersion(client)) >= jobTablesVersion) return;
  const { Logger, runMigrations } = await import('graphile-worker');
  await runMigrations({ connectionString: url, logger: new Logger(() => () => {}) });
}

async function readVersion(client: pg.Client): Promise<number> {
  const present = await client.query(`select to_regclass('graphile_worker.migrations') is not null as found`);
  if (present.rows[0]?.found !== true) return 0;
  const { rows } = await client.query<{ version: number }>(
    'select coalesce(max(id), 0)::int as version from graphile_worker.migrations',
  );
  return rows[0]?.version ?? 0;
}
