import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createSilentProxy } from '../support/silentProxy.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type LockHolder, startLockHolder } from './support/lockHolder.ts';

/** Long enough for a busy machine, on which every statement takes its time. */
const leaseMs = 6_000;
const schema = 'chain_index_0123456789ab';

const cleanups: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let client: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  cleanups.push(() => database.drop());
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  cleanups.push(() => client.end());
  await client.query('create table written (number int primary key, pid int)');
});

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function launch(lockUrl = database.url): LockHolder {
  const holder = startLockHolder({ lockUrl, databaseUrl: database.url, schema, leaseMs });
  cleanups.push(() => {
    holder.signal('SIGKILL');
    return holder.exited;
  });
  return holder;
}

const says = (holder: LockHolder, text: string) =>
  waitUntil(`it says: ${text}`, () => holder.lines.some((line) => line.includes(text)));

/** One that has the lock and something uncommitted, and one that waits for it. */
async function launchPair(lockUrl?: string): Promise<{ first: LockHolder; standby: LockHolder }> {
  const first = launch(lockUrl);
  await says(first, 'written');
  const standby = launch();
  await says(standby, 'standing by');
  return { first, standby };
}

test('a holder at work keeps the lock far beyond its lease', async () => {
  const { first, standby } = await launchPair();
  await waitUntil('three leases are over', async () => {
    const { rows } = await client.query(
      `select now() - min(backend_start) > $1 * interval '1 millisecond' as is_over from pg_stat_activity
       where datname = current_database() and application_name = $2`,
      [3 * leaseMs, `${schema} lock`],
    );
    return rows[0]?.is_over === true;
  });
  expect(standby.lines.filter((line) => line.includes('written'))).toEqual([]);
  expect(first.lines.filter((line) => line.includes('lost'))).toEqual([]);
});

test('a holder that stands still is replaced, with what it had not committed, and ends when it goes on', async () => {
  const { first, standby } = await launchPair();
  first.signal('SIGSTOP');
  // The row of the first one, of which the database hears no end, would keep it waiting.
  await says(standby, 'written');
  first.signal('SIGCONT');
  expect(await first.exited).toBe(75);
  expect(standby.lines.filter((line) => line.includes('lost'))).toEqual([]);
});

test('a holder that hears nothing ends by itself, and is replaced although the database hears nothing of that', async () => {
  const proxy = await createSilentProxy(database.url);
  cleanups.push(() => proxy.close());
  const { first, standby } = await launchPair(proxy.url);
  proxy.fallSilent();
  expect(await first.exited).toBe(75);
  expect(first.lines).toContain('lost: the database does not answer');
  await says(standby, 'written');
});

test('a standby that stands still when the lock falls to it lets another one have it', async () => {
  const { first, standby } = await launchPair();
  standby.signal('SIGSTOP');
  first.signal('SIGKILL');
  await first.exited;
  const third = launch();
  await says(third, 'written');
  standby.signal('SIGCONT');
  await waitUntil(
    'the one that stood still stands by again',
    () => standby.lines.filter((line) => line.includes('standing by')).length === 2,
  );
  expect(standby.lines.filter((line) => line.includes('written'))).toEqual([]);
  expect(third.lines.filter((line) => line.includes('lost'))).toEqual([]);
});
