import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../src/api/database/database.ts';
import { createLogger } from '../../src/api/log/createLogger.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let handle: DatabaseHandle;
beforeAll(async () => {
  database = await createTestDatabase();
  const logger = createLogger({ level: 'silent', name: 'test' });
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

test('a pool never opens more connections than it may, however much is asked of it', async () => {
  // Both are opened: one alone might be quick enough for all.
  for (const client of await Promise.all([handle.pool.connect(), handle.pool.connect()])) client.release();
  const query = `select count(*)::int as count, pg_sleep(0.01) from pg_stat_activity where application_name = 'limits'`;
  const answers = await Promise.all(Array.from({ length: 40 }, () => handle.pool.query(query)));
  expect(Math.max(...answers.map(({ rows }) => rows[0].count))).toBe(2);
});
