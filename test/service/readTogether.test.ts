import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../../src/platform/database/database.ts';
import { readTogether } from '../../src/platform/database/readTogether.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let pool: pg.Pool;
let close: () => Promise<void>;

const logger = createLogger({ level: 'silent', name: 'test' });

beforeAll(async () => {
  database = await createTestDatabase();
  ({ pool, close } = createDatabase({
    url: database.url,
    applicationName: 'together',
    maxConnections: 2,
    readsTogether: true,
    logger,
  }));
});
afterAll(async () => {
  await close();
  await database.drop();
});

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const quotient = 'select $1::int / $2::int as quotient';

test('reads of one turn are sent together, at most eight, and each caller gets its own rows', async () => {
  const statement = `select n, $1::int as asker, now()::text as "transaction", pg_backend_pid() as pid
    from generate_series(1, $1::int % 3) as n`;
  for (const _round of ['prepares', 'runs again']) {
    const answers = await Promise.all(
      numbers(20).map((asker) =>
        readTogether<{ n: number; asker: number; transaction: string; pid: number }>(pool, statement, [
          asker,
        ]),
      ),
    );
    expect(answers.map((rows) => rows.map(({ n, asker }) => [n, asker]))).toEqual(
      numbers(20).map((asker) => numbers(asker % 3).map((n) => [n + 1, asker])),
    );
    const batches = Map.groupBy(answers.flat(), ({ pid, transaction }) => `${pid} ${transaction}`);
    const askers = [...batches.values()].map((rows) => new Set(rows.map(({ asker }) => asker)));
    expect(askers.map((batch) => [...batch])).toEqual(
      // Askers divisible by three read no rows, so they do not appear.
      [numbers(8), numbers(8).map((n) => n + 8), numbers(4).map((n) => n + 16)].map((batch) =>
        batch.filter((asker) => asker % 3 > 0),
      ),
    );
  }
});

test('a statement waits for no other one of its turn', async () => {
  const blocker = await pool.connect();
  await blocker.query('create table if not exists locked (n int)');
  await blocker.query('begin');
  await blocker.query('lock table locked');
  const wide = createDatabase({
    url: database.url,
    applicationName: 'wide',
    maxConnections: 2,
    readsTogether: true,
    logger,
  });
  try {
    const locked = readTogether(wide.pool, 'select n from locked', []);
    const free = readTogether(wide.pool, quotient, [6, 2]);
    expect(await Promise.race([locked, free])).toEqual([{ quotient: 3 }]);
    await blocker.query('commit');
    expect(await locked).toEqual([]);
  } finally {
    blocker.release();
    await wide.close();
  }
});

test('a statement is prepared once on a connection, however often a turn asks for it', async () => {
  const statement = 'select $1::int + 1 as once';
  await Promise.all(numbers(8).map((n) => readTogether(pool, statement, [n])));
  const { rows } = await pool.query('select 1 from pg_prepared_statements where statement = $1', [statement]);
  expect(rows).toHaveLength(1);
});

test('a refusal by the database affects only its own caller', async () => {
  for (const _round of ['prepares', 'runs again']) {
    const answers = await Promise.allSettled(
      [1, 0, 2, 0, 4].map((divisor) => readTogether(pool, quotient, [8, divisor])),
    );
    expect(answers).toMatchObject([
      { value: [{ quotient: 8 }] },
      { reason: { code: '22012', message: 'division by zero' } },
      { value: [{ quotient: 4 }] },
      { reason: { code: '22012' } },
      { value: [{ quotient: 2 }] },
    ]);
  }
});

test('a failure names who has asked', async () => {
  const failure = await readTogether(pool, 'selekt 1', []).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: '42601' });
  expect(failure instanceof Error && failure.stack).toContain('readTogether.test.ts');
});

test('a connection that the database ends fails who was being answered, and those behind get another', async () => {
  const statement = `select case when $1::int = 1 then pg_terminate_backend(pg_backend_pid()) end as ended, $1::int as n`;
  const answers = await Promise.allSettled(numbers(3).map((n) => readTogether(pool, statement, [n])));
  expect(answers).toMatchObject([
    { value: [{ n: 0, ended: null }] },
    { reason: { code: '57P01' } },
    { value: [{ n: 2, ended: null }] },
  ]);
});

test('a row that cannot be read is missing from no answer', async () => {
  const money = 790;
  pg.types.setTypeParser(money, (text) => {
    if (text === '$13.00') throw new Error('unlucky');
    return text;
  });
  const statement = 'select n::money as amount from generate_series($1::int, $2::int) as n';
  const answers = await Promise.allSettled([
    readTogether(pool, statement, [11, 12]),
    readTogether(pool, statement, [12, 14]),
    readTogether(pool, statement, [14, 15]),
  ]);
  expect(answers).toMatchObject([
    { value: [{ amount: '$11.00' }, { amount: '$12.00' }] },
    { reason: { message: 'unlucky' } },
    { reason: { message: 'unlucky' } },
  ]);
  expect(await readTogether(pool, statement, [14, 14])).toEqual([{ amount: '$14.00' }]);
});

test('without a connection every caller gets the error, and nothing is retried', async () => {
  const url = new URL(database.url);
  const wrong = [
    { url: 'postgresql://nobody@127.0.0.1:1/none', code: 'ECONNREFUSED' },
    // The server refuses this connection.
    { url: String(Object.assign(new URL(url), { pathname: '/no_such_database' })), code: '3D000' },
    // This one fails before anything connects.
    { url: `${url}?sslrootcert=/no/such/certificate.pem`, code: 'ENOENT' },
  ];
  for (const { url: away, code } of wrong) {
    const unreachable = createDatabase({
      url: away,
      applicationName: 'away',
      maxConnections: 8,
      readsTogether: true,
      logger,
    });
    let connects = 0;
    const { connect } = unreachable.pool;
    Object.assign(unreachable.pool, {
      connect(...args: Parameters<typeof connect>) {
        connects++;
        return connect.apply(unreachable.pool, args);
      },
    });
    const answers = await Promise.allSettled(
      numbers(8).map((n) => readTogether(unreachable.pool, quotient, [n, 1])),
    );
    expect(answers).toMatchObject(numbers(8).map(() => ({ reason: { code } })));
    expect(connects).toBe(1);
    await unreachable.close();
  }
});
