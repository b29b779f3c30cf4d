import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../src/cli/devtools/postgres.ts';
import { migrateDatabase } from '../../src/platform/database/migrateDatabase.ts';
import { makeScratchDirectory } from './scratchDirectory.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL of this run, as superuser; tests create their own databases in it. */
    postgresUrl: string;
    /** A database with all migrations and without connections; other databases are copies of it. */
    templateDatabase: string;
  }
}

/** Projects that need no database or start their own. */
const withoutDatabase = ['unit', 'contracts', 'client'];
/** The database's counted ids start beyond four bytes, as after some years. */
const largeIds = `do $$ declare name text; begin
  for name in select sequencename from pg_sequences where schemaname = 'service' and sequencename <> 'migrations_id_seq' loop
    execute format('alter sequence service.%I restart with 3000000000', name);
  end loop;
end $$`;
/** Nothing here outlives the run, so nothing needs to reach the disk. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * One PostgreSQL for all projects of a run: a new server, or the one in `TEST_DATABASE_URL`, whose role must
 * be a superuser. Migrates once; copying the migrated database takes a tenth of the time.
 */
export default async function setup({ vitest, provide }: TestProject): Promise<() => Promise<void>> {
  if (vitest.projects.every(({ name }) => withoutDatabase.includes(name))) return async () => {};
  const server = await findServer(process.env.TEST_DATABASE_URL);
  const template = `template_${randomBytes(6).toString('hex')}`;
  await runOnServer(server.url, `create database ${template}`);
  const url = new URL(server.url);
  url.pathname = `/${template}`;
  await migrateDatabase(url.href);
  await runOnServer(url.href, largeIds);
  provide('postgresUrl', server.url);
  provide('templateDatabase', template);
  return async () => {
    await runOnServer(server.url, `drop database ${template} with (force)`);
    await server.stop();
  };
}

async function findServer(given: string | undefined): Promise<{ url: string; stop(): Promise<void> }> {
  if (given) return { url: given, stop: async () => {} };
  const dataDirectory = await makeScratchDirectory('agreements-postgres-');
  const { url, stop } = await startPostgres({ dataDirectory, settings });
  return {
    url,
    async stop() {
      await stop();
      await rm(dataDirectory, { recursive: true });
    },
  };
}

async function runOnServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
