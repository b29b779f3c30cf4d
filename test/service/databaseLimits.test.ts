import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { readTogether } from '../../src/platform/database/readTogether.ts';
import { runPrepared } from '../../src/platform/database/runPrepared.ts';
import { withTransaction } from '../../src/platform/database/withTransaction.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createSilentProxy, type SilentProxy } from '../support/silentProxy.ts';

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

describe('a database whose host is gone without a word', () => {
  let proxy: SilentProxy;
  let lost: DatabaseHandle;
  let together: DatabaseHandle;
  beforeEach(async () => {
    proxy = await createSilentProxy(database.url);
    // With one connection, a leaked connection blocks the next query. On a busy machine an answer may take a
    // second or two.
    const options = { url: proxy.url, maxConnections: 1, answerTimeoutMs: 5_000, logger };
    lost = createDatabase({ ...options, applicationName: 'lost' });
    together = createDatabase({ ...options, applicationName: 'together', readsTogether: true });
  });
  afterEach(async () => {
    await lost.close();
    await together.close();
    await proxy.close();
  });

  const answer = 'select 42 as answer';
  const askers = {
    'a prepared statement': () => runPrepared(lost.pool, answer, []),
    'a statement that goes with others': () => readTogether(together.pool, answer, []),
    'a statement of the query builder': async () => (await lost.database.execute(answer)).rows,
  };
  test.each(Object.entries(askers))('fails %s after a time, and the next one is answered', async (_, ask) => {
    expect(await ask()).toEqual([{ answer: 42 }]);
    proxy.fallSilent();
    await expect(ask()).rejects.toThrow('timeout');
    expect(await ask()).toEqual([{ answer: 42 }]);
  });

  test('takes away a connection that does not answer, though its borrower says nothing of that', async () => {
    const client = await lost.pool.connect();
    proxy.fallSilent();
    await expect(client.query(answer)).rejects.toThrow('Query read timeout');
    client.release();
    expect((await lost.pool.query(answer)).rows).toEqual([{ answer: 42 }]);
  });

  test.each([
    ['alone', () => lost],
    ['beside reads that go together', () => together],
  ])('fails a transaction that it has begun, %s, and the next one is answered', async (_, handleOf) => {
    const transact = (onBegun: () => void) =>
      withTransaction(handleOf().pool, async (client) => {
        onBegun();
        return (await client.query(answer)).rows;
      });
    await expect(transact(proxy.fallSilent)).rejects.toThrow('Query read timeout');
    expect(await transact(() => {})).toEqual([{ answer: 42 }]);
  });
});
