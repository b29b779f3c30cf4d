import pg from 'pg';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { countOldRows, noOldRows, removeOldParts } from '../../../src/records/retention/oldRows.ts';
import { createMigratedDatabase } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createExplainedPool } from '../support/explainedPool.ts';

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

test.each(['force_custom_plan', 'force_generic_plan'])(
  'planned with %s, removing old parts does not read the events that still use others',
  async (mode) => {
    const { url, drop } = await createMigratedDatabase();
    onTestFinished(drop);
    const explained = createExplainedPool(url, { plan_cache_mode: mode });
    onTestFinished(() => explained.pool.end());
    const [events, parts, limit] = [20_000, 2_000, 100];
    await explained.pool.query(`insert into service.principals (id, name) values ('prn_1', 'one')`);
    await explained.pool.query(
      `insert into service.event_parts (id, text, used_at)
      select 'part' || n, '', to_timestamp(n) from generate_series(1, $1::int) as n`,
      [parts],
    );
    // The oldest parts are still used, each by thousands of events.
    await explained.pool.query(
      `insert into service.events (id, principal_id, type, body, state, notification_part_id, variables_part_id)
      select 'evt' || n, 'prn_1', 'agreement.transitioned', '', 'released', 'part' || used, 'part' || used
      from (select n, 1 + n % 4 as used from generate_series(1, $1::int) as n) as numbered`,
      [events],
    );
    explained.takeEfforts();
    const removed = await removeOldParts(explained.pool, { before: new Date(), limit });
    expect(removed.eventParts).toBe(limit);
    const efforts = explained.takeEfforts();
    const rowsRead = efforts.reduce((sum, effort) => sum + effort.rowsRead, 0);
    expect(rowsRead, efforts.map(({ plan }) => plan).join('; ')).toBeLessThan(5 * parts);
  },
);
