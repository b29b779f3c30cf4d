import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../../src/api/database/database.ts';
import { readTogether } from '../../src/api/database/readTogether.ts';
import { createLogger } from '../../src/api/log/createLogger.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let pool: pg.Pool;
let close: () => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
  const logger = createLogger({ level: 'silent', name: 'test' });
  ({ pool, close } = createDatabase({
    url: database.url,
    applicationName: 'together',
    maxConnections: 2,
    logger,
  }));
});
afterAll(async () => {
  await close();
  await database.drop();
});

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const quotient = 'select $1::int / $2::int as quotient';

test('what is asked for in one turn travels together, eight at most, and each asker has its own rows', async () => {
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
      // Those that are divisible by three have no rows to be seen by.
      [numbers(8), numbers(8).map((n) => n + 8), numbers(4).map((n) => n + 16)].map((batch) =>
        batch.filter((asker) => asker % 3 > 0),
      ),
    );
  }
});

test('different statements share a turn, each with its own columns', async () => {
  for (const _round of ['prepares', 'runs again']) {
    const answers = await Promise.all([
      readTogether(pool, 'select $1::text as name', ['one']),
      readTogether(pool, 'select 2 as n, null as nothing where $1', [true]),
      readTogether(pool, 'select $1::text as name', ['three']),
      readTogether(pool, 'select 2 as n, null as nothing where $1', [false]),
    ]);
    expect(answers).toEqual([[{ name: 'one' }], [{ n: 2, nothing: null }], [{ name: 'three' }], []]);
  }
});

test('a statement is prepared once on a connection, however often a turn asks for it', async () => {
  const statement = 'select $1::int + 1 as once';
  await Promise.all(numbers(8).map((n) => readTogether(pool, statement, [n])));
  const { rows } = await pool.query('select 1 from pg_prepared_statements where statement = $1', [statement]);
  expect(rows).toHaveLength(1);
});

test('what the database refuses to one asker it refuses to no other', async () => {
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

test('a text that is no statement fails its asker alone, and the failure names who has asked', async () => {
  const [good, bad, behind] = await Promise.allSettled([
    readTogether(pool, quotient, [3, 1]),
    readTogether(pool, 'selekt 1', []),
    readTogether(pool, quotient, [5, 1]),
  ]);
  expect(good).toMatchObject({ value: [{ quotient: 3 }] });
  expect(bad).toMatchObject({ reason: { code: '42601' } });
  expect(bad.status === 'rejected' && bad.reason.stack).toContain('readTogether.test.ts');
  expect(behind).toMatchObject({ value: [{ quotient: 5 }] });
});

test('a connection that the database ends fails who was being answered, and those behind get another', async () => {
  const [before, ended, behind] = await Promise.allSettled([
    readTogether(pool, quotient, [3, 1]),
    readTogether(pool, 'select pg_terminate_backend(pg_backend_pid())', []),
    readTogether(pool, quotient, [5, 1]),
  ]);
  expect(before).toMatchObject({ value: [{ quotient: 3 }] });
  expect(ended).toMatchObject({ reason: { code: '57P01' } });
  expect(behind).toMatchObject({ value: [{ quotient: 5 }] });
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

test('without a connection every asker is told', async () => {
  const away = new pg.Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' });
  const answers = await Promise.allSettled(numbers(10).map((n) => readTogether(away, quotient, [n, 1])));
  expect(answers.map(({ status }) => status)).toEqual(numbers(10).map(() => 'rejected'));
  expect(answers[9]).toMatchObject({ reason: { code: 'ECONNREFUSED' } });
});
