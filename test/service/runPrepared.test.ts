import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../../src/platform/database/database.ts';
import { runPrepared } from '../../src/platform/database/runPrepared.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let pool: pg.Pool;
let close: () => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
  const logger = createLogger({ level: 'silent', name: 'test' });
  // With one connection, anything that a statement leaves behind on it affects the next one.
  ({ pool, close } = createDatabase({
    url: database.url,
    applicationName: 'prepared',
    maxConnections: 1,
    logger,
  }));
});
afterAll(async () => {
  await close();
  await database.drop();
});

const readBackend = async () =>
  (await runPrepared<{ pid: number }>(pool, 'select pg_backend_pid() as pid', []))[0]?.pid;

test('parameters arrive as they are, and columns as pg reads them', async () => {
  const at = new Date('2026-02-28T23:59:59.123Z');
  const texts = [
    'plain',
    'a "quoted" one',
    'back\\slash',
    'line\nbreak',
    'comma, {brace}',
    '',
    'NULL',
    'ü€😀',
  ];
  const statement = `select $1::text as text, $2::int as int, $3::float8 as float, $4::boolean as flag, $5::timestamptz as at,
    $6::bytea as bytes, $7::text[] as texts, $8::int[] as numbers, $9::text as nothing, $10::text as absent,
    $11::text[] as none, $4::boolean::int as text_twice, '{"a": [1, null]}'::jsonb as json, 12345678901234567890::numeric as big`;
  const bytes = Buffer.from([0, 1, 255]);
  const values = ['ü', -7, 1.5, true, at, bytes, texts, [3, -4], null, undefined, []];
  const { rows: expected } = await pool.query(statement, values);
  for (const _run of ['prepares', 'runs again'])
    expect(await runPrepared(pool, statement, values)).toEqual(expected);
  expect(expected[0]).toMatchObject({
    texts,
    at,
    bytes,
    numbers: [3, -4],
    nothing: null,
    absent: null,
    none: [],
  });
});

test('a statement is prepared once on a connection, and each run has its own rows', async () => {
  const statement = 'select n, n * $1::int as product from generate_series(1, $2::int) as n';
  expect(await runPrepared(pool, statement, [10, 2])).toEqual([
    { n: 1, product: 10 },
    { n: 2, product: 20 },
  ]);
  expect(await runPrepared(pool, statement, [3, 1])).toEqual([{ n: 1, product: 3 }]);
  expect(await runPrepared(pool, statement, [3, 0])).toEqual([]);
  const { rows } = await pool.query('select 1 from pg_prepared_statements where statement = $1', [statement]);
  expect(rows).toHaveLength(1);
});

test('a statement without rows can be run again', async () => {
  await pool.query('create table counted (n int)');
  const insert = 'insert into counted values ($1)';
  for (const n of [1, 2]) expect(await runPrepared(pool, insert, [n])).toEqual([]);
  expect(await runPrepared(pool, 'select n from counted order by n', [])).toEqual([{ n: 1 }, { n: 2 }]);
});

test('a refusal by the database has its code and the caller, and the next run succeeds', async () => {
  const divide = 'select 1 / $1::int as quotient';
  expect(await runPrepared(pool, divide, [1])).toEqual([{ quotient: 1 }]);
  const failure = await runPrepared(pool, divide, [0]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: '22012', message: 'division by zero' });
  expect(failure instanceof Error && failure.stack).toContain('runPrepared.test.ts');
  expect(await runPrepared(pool, divide, [1])).toEqual([{ quotient: 1 }]);
});

test('a text that is no statement is refused each time, and holds nothing up', async () => {
  for (const _run of [1, 2])
    await expect(runPrepared(pool, 'selekt 1', [])).rejects.toMatchObject({ code: '42601' });
  expect(await readBackend()).toBeTypeOf('number');
});

test('rows never have the column names of an earlier table', async () => {
  await pool.query('create table changing (first text, second text)');
  await pool.query(`insert into changing values ('one', 'two')`);
  const statement = 'select * from changing';
  expect(await runPrepared(pool, statement, [])).toEqual([{ first: 'one', second: 'two' }]);
  await pool.query('alter table changing rename column first to third');
  await pool.query('alter table changing alter column second type int using 2');
  await expect(runPrepared(pool, statement, [])).rejects.toThrow('cached plan must not change result type');
  expect(await runPrepared(pool, statement, [])).toEqual([{ third: 'one', second: 2 }]);
});

test('a column renamed alone is no longer answered under its old name', async () => {
  await pool.query('create table renamed (before int)');
  await pool.query('insert into renamed values (1)');
  expect(await runPrepared(pool, 'select * from renamed', [])).toEqual([{ before: 1 }]);
  await pool.query('alter table renamed rename column before to after');
  const rows = await runPrepared(pool, 'select * from renamed', []).catch(() => 'refused');
  expect(rows).not.toEqual([{ before: 1 }]);
});

test('a connection that breaks fails its run, and the next one gets another', async () => {
  const before = await readBackend();
  await expect(runPrepared(pool, 'select pg_terminate_backend(pg_backend_pid())', [])).rejects.toThrow(
    'terminating connection',
  );
  const after = await readBackend();
  expect(after).toBeTypeOf('number');
  expect(after).not.toBe(before);
});

test('runs that ask at once wait for each other on the connection, and all are answered', async () => {
  const rows = await Promise.all(
    Array.from({ length: 20 }, (_, n) => runPrepared(pool, 'select $1::int as n', [n])),
  );
  expect(rows.flat()).toEqual(Array.from({ length: 20 }, (_, n) => ({ n })));
});

test('of very many statements the first ones stay prepared, and the others still run', async () => {
  const sum = (n: number) => `select $1::int + ${n} as sum`;
  for (let n = 0; n < 250; n++) expect(await runPrepared(pool, sum(n), [1])).toEqual([{ sum: n + 1 }]);
  for (const n of [0, 249]) expect(await runPrepared(pool, sum(n), [2])).toEqual([{ sum: n + 2 }]);
  const { rows } = await pool.query('select statement from pg_prepared_statements');
  const kept = rows.map(({ statement }) => statement);
  expect(kept.length).toBeLessThanOrEqual(200);
  expect(kept).toContain(sum(0));
  expect(kept).not.toContain(sum(249));
});

test('a time that pg sets to queries ends the run that takes longer, and no other', async () => {
  const hasty = createDatabase({
    url: database.url,
    applicationName: 'hasty',
    maxConnections: 1,
    answerTimeoutMs: 2_000,
    logger: createLogger({ level: 'silent', name: 'test' }),
  });
  const sleep = (seconds: number) => runPrepared(hasty.pool, 'select pg_sleep($1)', [seconds]);
  try {
    await sleep(0);
    await expect(sleep(10)).rejects.toThrow('Query read timeout');
    for (const _run of ['first', 'second']) expect(await sleep(0.2)).toHaveLength(1);
    // A leftover timer of an ended run would fire by now, and would end this process.
    await expect(sleep(10)).rejects.toThrow('Query read timeout');
  } finally {
    await hasty.close();
  }
});

test('a pool that plans once does not plan again for each run after its tables have grown', async () => {
  const logger = createLogger({ level: 'silent', name: 'test' });
  const shared = { url: database.url, applicationName: 'plans', maxConnections: 1, logger };
  const statement =
    'select wanted.id, (select count(*) from things where owner = wanted.id) from unnest($1::int[]) as wanted(id)';
  await pool.query('create table things (owner int not null)');
  const pools = [createDatabase(shared), createDatabase({ ...shared, plansOnce: true })] as const;
  try {
    const run = (times: number) =>
      Promise.all(
        pools.map(async (handle) => {
          for (let at = 0; at < times; at++) await runPrepared(handle.pool, statement, [[1]]);
        }),
      );
    await run(6);
    await pool.query('insert into things select place % 10 from generate_series(1, 50000) as place');
    await pool.query('analyze things');
    await run(20);
    const counts = await Promise.all(
      pools.map(async (handle) => {
        const query = 'select custom_plans::int as custom from pg_prepared_statements where statement = $1';
        const { rows } = await handle.pool.query<{ custom: number }>(query, [statement]);
        return rows[0]?.custom;
      }),
    );
    // The first pool shows that this statement would be planned for each run.
    expect(counts[0]).toBeGreaterThanOrEqual(20);
    expect(counts[1]).toBe(0);
  } finally {
    await Promise.all(pools.map((handle) => handle.close()));
  }
});
