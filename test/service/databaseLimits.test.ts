import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { readTogether } from '../../src/platform/database/readTogether.ts';
import { runPrepared } from '../../src/platform/database/runPrepared.ts';
import { withTransaction } from '../../src/platform/database/withTransaction.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createSilentProxy } from '../support/silentProxy.ts';

const logger = createLogger({ level: 'silent', name: 'test' });
let database: TestDatabase;
let handle: DatabaseHandle;
beforeAll(async () => {
  database = await createTestDatabase();
  handle = createDatabase({ url: database.url, applicationName: 'limits', maxConnections: 2, logger });
});
afterAll(async () => {
  await handle?.close();
  await database?.drop();
});

test('the database ends statements and idle transactions of the service after 30 seconds', async () => {
  const { rows } = await handle.pool.query(
    `select current_setting('statement_timeout') as statements,
      current_setting('idle_in_transaction_session_timeout') as transactions`,
  );
  expect(rows).toEqual([{ statements: '30s', transactions: '30s' }]);
});

test('the database ends a session of the service within a minute after its machine is lost', async () => {
  const { rows } = await handle.pool.query(
    `select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_interval') as interval,
      current_setting('tcp_keepalives_count') as count, current_setting('tcp_user_timeout') as answer`,
  );
  expect(rows).toEqual([{ idle: '30', interval: '10', count: '3', answer: '60000' }]);
});

test('the database compiles no plan of the service', async () => {
  const { rows } = await handle.pool.query('show jit');
  expect(rows).toEqual([{ jit: 'off' }]);
});

test('a pool never opens more connections than it may, however much is asked of it', async () => {
  // Open both connections first: one connection might be fast enough for all queries.
  for (const client of await Promise.all([handle.pool.connect(), handle.pool.connect()])) client.release();
  const query = `select count(*)::int as count, pg_sleep(0.01) from pg_stat_activity where application_name = 'limits'`;
  const answers = await Promise.all(Array.from({ length: 40 }, () => handle.pool.query(query)));
  expect(Math.max(...answers.map(({ rows }) => rows[0].count))).toBe(2);
});

/** On a busy machine an answer may take a second or two. */
const answerTimeoutMs = 3_000;

/** Two pools with one connection each, since a leaked connection then blocks the next query. The test's end closes them. */
async function connectThroughProxy(onTestFinished: TestContext['onTestFinished']) {
  const proxy = await createSilentProxy(database.url);
  const options = { url: proxy.url, maxConnections: 1, answerTimeoutMs, logger };
  const lost = createDatabase({ ...options, applicationName: 'lost' });
  const together = createDatabase({ ...options, applicationName: 'together', readsTogether: true });
  onTestFinished(async () => {
    await lost.close();
    await together.close();
    await proxy.close();
  });
  return { proxy, lost, together };
}

type Connected = Awaited<ReturnType<typeof connectThroughProxy>>;

// These tests only wait for a time-out, each with its own proxy.
describe.concurrent('a database whose host is gone without a word', () => {
  const answer = 'select 42 as answer';
  const askers: [string, (pools: Connected) => Promise<unknown>][] = [
    ['a prepared statement', ({ lost }) => runPrepared(lost.pool, answer, [])],
    ['a statement that goes with others', ({ together }) => readTogether(together.pool, answer, [])],
    ['a statement of the query builder', async ({ lost }) => (await lost.database.execute(answer)).rows],
  ];
  test.for(askers)(
    'fails %s after a time, and the next one is answered',
    async ([, ask], { expect, onTestFinished }) => {
      const connected = await connectThroughProxy(onTestFinished);
      expect(await ask(connected)).toEqual([{ answer: 42 }]);
      connected.proxy.fallSilent();
      await expect(ask(connected)).rejects.toThrow('timeout');
      expect(await ask(connected)).toEqual([{ answer: 42 }]);
    },
  );

  test('takes away a connection that does not answer, though its borrower says nothing of that', async ({
    expect,
    onTestFinished,
  }) => {
    const { proxy, lost } = await connectThroughProxy(onTestFinished);
    const client = await lost.pool.connect();
    proxy.fallSilent();
    await expect(client.query(answer)).rejects.toThrow('Query read timeout');
    client.release();
    expect((await lost.pool.query(answer)).rows).toEqual([{ answer: 42 }]);
  });

  test.for([
    ['alone', 'lost'],
    ['beside reads that go together', 'together'],
  ] as const)(
    'fails a transaction that it has begun, %s, and the next one is answered',
    async ([, name], { expect, onTestFinished }) => {
      const { proxy, [name]: handle } = await connectThroughProxy(onTestFinished);
      const transact = (onBegun: () => void) =>
        withTransaction(handle.pool, async (client) => {
          onBegun();
          return (await client.query(answer)).rows;
        });
      await expect(transact(proxy.fallSilent)).rejects.toThrow('Query read timeout');
      expect(await transact(() => {})).toEqual([{ answer: 42 }]);
    },
  );
});
