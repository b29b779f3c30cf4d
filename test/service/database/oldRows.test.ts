import pg from 'pg';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { countOldRows, noOldRows } from '../../../src/records/retention/oldRows.ts';
import { createMigratedDatabase } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const limitMs = 1_000;

test('old rows are counted for as long as that takes, whatever other statements may take', async () => {
  const { url, drop } = await createMigratedDatabase();
  onTestFinished(drop);
  const logger = pino({ level: 'silent' });
  const applicationName = 'counting';
  const handle = createDatabase({
    url,
    applicationName,
    maxConnections: 1,
    answerTimeoutMs: limitMs,
    logger,
  });
  onTestFinished(handle.close);
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  const [other, watcher] = [await connect(), await connect()];
  await handle.pool.query(`set statement_timeout = ${limitMs}`);
  await other.query('begin');
  await other.query('lock table service.usage_days in access exclusive mode');

  const counted = countOldRows(handle.pool, new Date());
  // A failure is seen below.
  counted.catch(() => {});
  const isOverdue = async () => {
    const { rowCount } = await watcher.query(
      `select from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'
        and clock_timestamp() - query_start > 2 * $2 * interval '1 millisecond'`,
      [applicationName, limitMs],
    );
    return rowCount === 1;
  };
  await Promise.race([counted, waitUntil('the count waits for longer than the limits', isOverdue)]);
  await other.query('rollback');
  expect(await counted).toEqual(noOldRows);
});
