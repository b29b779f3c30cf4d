import pg from 'pg';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nameSessions } from '../../../src/indexer/runtime/sessions.ts';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { isDatabaseAway } from '../../../src/platform/database/isDatabaseAway.ts';
import { listen } from '../../../src/platform/database/listen.ts';
import { migrateDatabase } from '../../../src/platform/database/migrateDatabase.ts';
import { readTogether } from '../../../src/platform/database/readTogether.ts';
import { runPrepared } from '../../../src/platform/database/runPrepared.ts';
import { createDatabaseProxy } from '../../support/databaseProxy.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../support/pgBouncer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const logger = pino({ level: 'silent' });
let database: TestDatabase;
let pooler: PgBouncer;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await pooler.stop();
  await database.drop();
});

describe.skipIf(!hasPgBouncer)('behind PgBouncer', () => {
  test('in session mode tables are made, statements stay prepared and notifications arrive', async () => {
    pooler = await startPgBouncer(database.url, {
      pool_mode: 'session',
      ignore_startup_parameters: 'extra_float_digits',
    });
    await migrateDatabase(pooler.url);
    const handle = createDatabase({ url: pooler.url, applicationName: 'pooled', maxConnections: 2, logger });
    const heard: string[] = [];
    const listener = listen({
      url: pooler.url,
      channels: ['news'],
      onNotification: (_, payload) => heard.push(payload),
      onConnected() {},
      logger,
    });
    await listener.ready;
    const read = () =>
      runPrepared(handle.pool, `select current_setting('jit') as jit, $1::text as value`, ['a']);
    expect(await read()).toEqual([{ jit: 'off', value: 'a' }]);
    expect(await read()).toEqual([{ jit: 'off', value: 'a' }]);
    await handle.pool.query(`select pg_notify('news', 'heard')`);
    await waitUntil('the notification is there', () => heard.includes('heard'));
    await listener.close();
    await handle.close();
  });

  test('a server that is lost counts as away, and is there again', async () => {
    const proxy = await createDatabaseProxy(database.url, (client, upstream) =>
      client.pipe(upstream).pipe(client),
    );
    const settings = { pool_mode: 'session', ignore_startup_parameters: 'extra_float_digits' };
    pooler = await startPgBouncer(proxy.url, settings);
    const handle = createDatabase({ url: pooler.url, applicationName: 'pooled', maxConnections: 1, logger });
    await handle.pool.query('select 1');
    const answer = handle.pool.query('select pg_sleep(60)').catch((error: unknown) => error);
    const isRunning = `select 1 from pg_stat_activity where state = 'active' and query = 'select pg_sleep(60)'`;
    const direct = createDatabase({
      url: database.url,
      applicationName: 'direct',
      maxConnections: 1,
      logger,
    });
    await waitUntil('the statement runs', async () => (await direct.pool.query(isRunning)).rowCount === 1);
    for (const socket of proxy.sockets) socket.destroy();
    const failure = await answer;
    expect(failure).toMatchObject({ code: '08P01' });
    expect(isDatabaseAway(failure)).toBe(true);
    await handle.pool.query('select 1');
    await handle.close();
    await direct.close();
    await proxy.close();
  });

  test('in session mode that ignores what Ponder asks for, the sessions of an indexer open', async () => {
    pooler = await startPgBouncer(database.url, {
      pool_mode: 'session',
      ignore_startup_parameters: 'extra_float_digits,statement_timeout,options',
    });
    const connectionString = nameSessions(pooler.url, 'chain_index ponder');
    const client = new pg.Client({ connectionString, statement_timeout: 120_000 });
    await client.connect();
    const { rows } = await client.query('show application_name');
    expect(rows).toEqual([{ application_name: 'chain_index ponder' }]);
    await client.end();
  });

  test.each([
    { pool_mode: 'transaction' },
    { pool_mode: 'transaction', default_pool_size: '1' },
    { pool_mode: 'transaction', server_round_robin: '1' },
    { pool_mode: 'statement' },
  ])('with %o nothing starts, and the reason is logged', async (settings) => {
    pooler = await startPgBouncer(database.url, settings);
    await expect(migrateDatabase(pooler.url)).rejects.toThrow('session mode');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(`select to_regnamespace('service') as made`);
    await client.end();
    expect(rows).toEqual([{ made: null }]);
  });

  test.each([
    { read: 'readTogether', run: readTogether },
    { read: 'runPrepared', run: runPrepared },
  ])('$read never answers by the statement of another process that shared its session', async ({ run }) => {
    pooler = await startPgBouncer(database.url, { pool_mode: 'transaction', default_pool_size: '2' });
    const open = () => {
      const applicationName = 'pooled';
      return createDatabase({
        url: pooler.url,
        applicationName,
        maxConnections: 1,
        readsTogether: true,
        logger,
      });
    };
    const [one, other] = [open(), open()];
    const session = 'pg_backend_pid() as session';
    const readOne = () => run<{ session: number }>(one.pool, `select $1::text as mine, ${session}`, ['a']);
    const readOther = () =>
      run<{ session: number }>(other.pool, `select $1::text as yours, ${session}`, ['b']);
    const first = (await readOne())[0]?.session;

    const blocker = new pg.Client({ connectionString: pooler.url });
    await blocker.connect();
    const block = async () => {
      await blocker.query('begin');
      return (await blocker.query<{ session: number }>(`select ${session}`)).rows[0]?.session;
    };
    expect(await block()).toBe(first);
    const second = (await readOther())[0]?.session;
    expect(second).not.toBe(first);
    // The first process now gets the session in which the other one has prepared its statement.
    const rows = await readOne().catch(() => []);
    expect(rows.filter((row) => !('mine' in row) || row.session === second)).toEqual([]);

    await blocker.end();
    await one.close();
    await other.close();
  });
});
