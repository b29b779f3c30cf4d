import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export type TestDatabase = {
  url: string;
  /** Ends every session of the database and drops it. */
  drop(): Promise<void>;
};

/** A fresh, empty database in the PostgreSQL of this run. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createFrom('template1');
}

/** A fresh database with all migrations and no rows: a copy of the run's migrated database. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  return createFrom(inject('templateDatabase'));
}

async function createFrom(template: string): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  // The other strategy writes every block to the log first.
  await runOnServer(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOnServer(serverUrl, `drop database ${name} with (force)`) };
}

async function runOnServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
