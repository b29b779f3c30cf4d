import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../../src/platform/database/database.ts';
import { isDeadlock } from '../../../src/platform/database/deadlock.ts';
import { readTogether } from '../../../src/platform/database/readTogether.ts';
import { withTransaction } from '../../../src/platform/database/withTransaction.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';

let testDatabase: TestDatabase;
let handle: DatabaseHandle;
let indexer: pg.Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  handle = createDatabase({
    url: testDatabase.url,
    applicationName: 'deadlocks',
    maxConnections: 4,
    readsTogether: true,
    logger: createLogger({ level: 'silent', name: 'test' }),
  });
  indexer = new pg.Client(testDatabase.url);
  await indexer.connect();
  // The indexer never gives way here: PostgreSQL ends the side whose time is up first.
  await indexer.query(`set deadlock_timeout = '1h'; create table agreements (n int); create table heads (n int);
    insert into agreements values (1)`);
});
afterEach(() => indexer.query('rollback'));
afterAll(async () => {
  await indexer.end();
  await handle.close();
  await testDatabase.drop();
});

const statement = 'select agreements.n + $1::int as sum from agreements left join heads using (n)';

/** Starts `ask` so that it and the indexer, which locks both tables as in a reorg, wait for each other. */
async function meetInDeadlock<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  await indexer.query('begin; lock table heads in access exclusive mode');
  const asked = ask();
  asked.catch(() => {});
  await waitUntil('the reader waits', async () => (await readLockWaits(handle.pool)).length > 0);
  await indexer.query('lock table agreements in access exclusive mode; commit');
  return asked;
}

test('a statement runs again if the indexer and it waited for each other', async () => {
  const { rows } = await meetInDeadlock(() => handle.pool.query<{ sum: number }>(statement, [1]));
  expect(rows).toEqual([{ sum: 2 }]);
});

test('so does each of several that were sent together', async () => {
  const answers = await meetInDeadlock(() =>
    Promise.all([1, 2, 3].map((n) => readTogether<{ sum: number }>(handle.pool, statement, [n]))),
  );
  expect(answers).toEqual([[{ sum: 2 }], [{ sum: 3 }], [{ sum: 4 }]]);
});

test('a transaction ends, as its earlier statements are undone', async () => {
  const refused = meetInDeadlock(() =>
    withTransaction(handle.pool, async (client) => {
      await client.query('create table if not exists undone (n int)');
      await client.query(statement, [1]);
    }),
  );
  expect(isDeadlock(await refused.catch((error: unknown) => error))).toBe(true);
  const { rows } = await handle.pool.query(`select to_regclass('undone') as found`);
  expect(rows).toEqual([{ found: null }]);
});

test('other errors of statements reach the caller', async () => {
  await expect(handle.pool.query('select 1 / $1::int', [0])).rejects.toThrow('division by zero');
});
