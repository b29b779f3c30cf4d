import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { inGroups } from '../../src/platform/database/inGroups.ts';
import { readLockWaits } from '../support/lockWaits.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let testDatabase: TestDatabase;
let handle: DatabaseHandle;
/** The items of each statement. `gate` holds the statements until it opens. */
let groups: number[][] = [];
let gate: Promise<void> | undefined;

const insert = inGroups<number, number | undefined>(async (pool: pg.Pool, items) => {
  groups.push([...items]);
  await gate;
  const { rows } = await pool.query<{ value: number }>(
    'insert into numbers select unnest($1::int[]) on conflict do nothing returning value',
    [items],
  );
  return items.map((item) => rows.find(({ value }) => value === item)?.value);
});

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  handle = createDatabase({ url: testDatabase.url, applicationName: 'groups', maxConnections: 4, logger });
  await handle.pool.query('create table numbers (value int primary key check (value > 0))');
});
afterAll(async () => {
  await handle.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  await handle.pool.query('truncate numbers');
  groups = [];
  gate = undefined;
});

const insertAll = (values: readonly number[]) =>
  Promise.allSettled(values.map((value) => insert(handle.pool, value)));
const stored = async () =>
  (await handle.pool.query<{ value: number }>('select value from numbers order by value')).rows.map(
    ({ value }) => value,
  );

test('what comes in one turn shares a statement, and each gets its own result', async () => {
  await insert(handle.pool, 2);
  const results = await insertAll([1, 2, 3]);
  expect(groups).toEqual([[2], [1, 2, 3]]);
  expect(results.map((result) => result.status === 'fulfilled' && result.value)).toEqual([1, undefined, 3]);
});

test('what comes while two groups are at work makes up the next one', async () => {
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  // With fake timers no group counts as slow, however slow the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const turns: Promise<unknown>[] = [];
  for (const value of [1, 2, 3, 4, 5]) {
    turns.push(insert(handle.pool, value));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(groups).toEqual([[1], [2]]);
  vi.useRealTimers();
  open();
  await Promise.all(turns);
  expect(groups).toEqual([[1], [2], [3, 4, 5]]);
  expect(await stored()).toEqual([1, 2, 3, 4, 5]);
});

test('groups that wait for a lock delay nobody who comes later', async () => {
  const holder = await handle.pool.connect();
  await holder.query('begin; insert into numbers values (1), (2)');
  const held: Promise<unknown>[] = [];
  for (const value of [1, 2]) {
    held.push(insert(handle.pool, value));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await insert(handle.pool, 3)).toBe(3);
  await holder.query('commit');
  holder.release();
  expect(await Promise.all(held)).toEqual([undefined, undefined]);
});

test('no statement gets more than the limit', async () => {
  await insertAll(Array.from({ length: 70 }, (_, at) => at + 1));
  expect(groups.map(({ length }) => length)).toEqual([32, 32, 6]);
  expect(await stored()).toHaveLength(70);
});

test('items of different owners share no statement, and one owner holds up no other', async () => {
  const parity = inGroups<number, number>(
    async (pool: pg.Pool, items) => {
      groups.push([...items]);
      if (items.some((item) => item % 2 === 1)) await gate;
      const { rows } = await pool.query<{ value: number }>('select unnest($1::int[]) * 10 as value', [items]);
      return rows.map(({ value }) => value);
    },
    (item) => (item % 2 === 1 ? 'odd' : 'even'),
  );
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const odd = Promise.all([1, 3].map((item) => parity(handle.pool, item)));
  const even = Promise.all([2, 4].map((item) => parity(handle.pool, item)));
  expect(await even).toEqual([20, 40]);
  expect(groups).toEqual([
    [1, 3],
    [2, 4],
  ]);
  open();
  expect(await odd).toEqual([10, 30]);
});

describe('if the database refuses a group', () => {
  test('each is run alone, and only those fail that are at fault', async () => {
    const results = await insertAll([1, -1, 2, -2]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(groups).toEqual([[1, -1, 2, -2], [1], [-1], [2], [-2]]);
    expect(await stored()).toEqual([1, 2]);
  });

  test('the error says who asked', async () => {
    const [result] = await insertAll([-1]);
    if (result?.status !== 'rejected') throw new Error('it was stored');
    expect(result.reason).toMatchObject({ code: '23514' });
    expect(result.reason.stack).toContain('inGroups.test.ts');
  });
});

test('a connection that breaks fails all of a group, and nothing is run twice', async () => {
  const lost = createDatabase({
    url: testDatabase.url.replace(/:\d+\//, ':1/'),
    applicationName: 'groups',
    maxConnections: 1,
    logger: pino({ level: 'silent' }),
  });
  const results = await Promise.allSettled([insert(lost.pool, 1), insert(lost.pool, 2)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(groups).toEqual([[1, 2]]);
  await lost.close();
});

type Owned = { owner: string; value: number };

const insertOwn = inGroups<Owned, undefined>(
  async (pool: pg.Pool, items) => {
    const values = [items.map(({ value }) => value)];
    await pool.query('insert into numbers select unnest($1::int[]) on conflict do nothing', values);
    return items.map(() => undefined);
  },
  ({ owner }) => owner,
);

/** Runs with a pool of six connections while another transaction holds the value 1, until it is let go. */
async function whileHeld(
  work: (held: {
    wide: pg.Pool;
    countWaiting(): Promise<number>;
    letGo(): Promise<unknown>;
  }) => Promise<void>,
): Promise<void> {
  const { pool: wide, close } = createDatabase({
    url: testDatabase.url,
    applicationName: 'owners',
    maxConnections: 6,
    logger: pino({ level: 'silent' }),
  });
  const holder = await handle.pool.connect();
  const countWaiting = async () => (await readLockWaits(handle.pool)).length;
  try {
    await holder.query('begin; insert into numbers values (1)');
    await work({ wide, countWaiting, letGo: () => holder.query('commit') });
  } finally {
    await holder.query('rollback');
    holder.release();
    await close();
  }
}

test('groups of one owner that wait for locks leave connections to others', () =>
  whileHeld(async ({ wide, countWaiting, letGo }) => {
    const held: Promise<unknown>[] = [];
    for (let at = 0; at < 8; at++) {
      held.push(insertOwn(wide, { owner: 'one', value: 1 }));
      await expect.poll(countWaiting).toBeGreaterThanOrEqual(Math.min(at + 1, 4));
      // Longer than a group may take before it counts as slow.
      await delay(150);
    }
    expect(await countWaiting()).toBe(4);
    await insertOwn(wide, { owner: 'other', value: 2 });
    await letGo();
    await Promise.all(held);
  }));

test('the items of a refused group leave connections to other owners, if they wait for locks', () =>
  whileHeld(async ({ wide, countWaiting, letGo }) => {
    // The first value is refused before the group waits for the others.
    const values = [-1, ...Array.from({ length: 8 }, () => 1)];
    const held = Promise.allSettled(values.map((value) => insertOwn(wide, { owner: 'one', value })));
    await expect.poll(countWaiting).toBe(4);
    await insertOwn(wide, { owner: 'other', value: 2 });
    expect(await countWaiting()).toBe(4);
    await letGo();
    expect((await held).map(({ status }) => status)).toEqual([
      'rejected',
      ...Array.from({ length: 8 }, () => 'fulfilled'),
    ]);
  }));
