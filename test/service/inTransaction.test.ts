import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { inTransaction } from '../../src/platform/database/inTransaction.ts';
import { type CutProxy, createCutProxy } from '../support/cutProxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let testDatabase: TestDatabase;
let proxy: CutProxy;
let handle: DatabaseHandle;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  proxy = await createCutProxy(testDatabase.url);
  handle = createDatabase({
    url: proxy.url,
    applicationName: 'transactions',
    maxConnections: 1,
    logger: pino({ level: 'silent' }),
  });
  await handle.database.execute(sql`create table notes (text text)`);
});
afterAll(async () => {
  await handle.close();
  await proxy.close();
  await testDatabase.drop();
});

const write = (text: string) =>
  inTransaction(handle.database, (transaction) =>
    transaction.execute(sql`insert into notes values (${text})`),
  );
const read = async () => (await handle.database.execute<{ text: string }>(sql`select text from notes`)).rows;

test('an error undoes all of it, and reaches the caller', async () => {
  const failed = inTransaction(handle.database, async (transaction) => {
    await transaction.execute(sql`insert into notes values ('undone')`);
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await read()).toEqual([]);
});

test.each(['beforeBegin', 'beforeCommit'] as const)(
  'a connection that breaks (%s) is given back, and another takes its place',
  async (cut) => {
    proxy.cutNext(cut);
    await expect(write('lost')).rejects.toThrow();
    // The pool has one connection: if it were lost, this write would wait forever.
    await write(cut);
    expect(await read()).toContainEqual({ text: cut });
    expect(await read()).not.toContainEqual({ text: 'lost' });
  },
);
