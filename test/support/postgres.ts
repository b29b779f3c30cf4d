import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';

export type TestDatabase = {
  url: string;
  /** Ends all sessions of the database, and drops it. */
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
  // The default strategy writes every block to the WAL first.
  await runOnServer(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = async () => {
    await awaitLeave(serverUrl, name);
    await runOnServer(serverUrl, `drop database ${name} with (force)`);
  };
  return { url: url.href, drop };
}

const longestLeaveMs = 1_000;
const lookMs = 10;

/**
 * Waits briefly until all sessions of a database have ended. A session outlives its client, and an ended
 * client no longer handles errors, not even the one that reports the end of its session.
 */
async function awaitLeave(serverUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const giveUpAt = performance.now() + longestLeaveMs;
    while (performance.now() < giveUpAt) {
      const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [name]);
      if (rowCount === 0) return;
      await delay(lookMs);
    }
  } finally {
    await client.end();
  }
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
