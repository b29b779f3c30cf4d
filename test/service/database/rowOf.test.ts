import { readdir } from 'node:fs/promises';
import { getTableColumns, is, Table } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  customType,
  date,
  doublePrecision,
  integer,
  json,
  numeric,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { blockNumber, hash, instant, uint256 } from '../../../src/platform/database/columns.ts';
import { createDatabase, type DatabaseHandle } from '../../../src/platform/database/database.ts';
import * as indexView from '../../../src/platform/database/indexView.ts';
import type { NotNull, OrNull, RowAs, RowOf } from '../../../src/platform/database/rowOf.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** One column of each kind that the service's tables have. */
const kinds = pgTable('kinds', {
  id: bigserial({ mode: 'number' }),
  label: text().notNull(),
  state: text({ enum: ['open', 'closed'] }).notNull(),
  txHash: hash().notNull(),
  inputCount: integer().notNull(),
  walletNonce: bigint({ mode: 'number' }).notNull(),
  blockNumber: blockNumber().notNull(),
  permitNonce: uint256().notNull(),
  isBehind: boolean().notNull(),
  owners: json().$type<readonly string[]>().notNull(),
  secret: customType<{ data: Buffer }>({ dataType: () => 'bytea' })().notNull(),
  spentGas: numeric({ precision: 30, scale: 0 }).notNull(),
  tokens: doublePrecision().notNull(),
  remark: text(),
  day: date(),
  leaseUntil: timestamp({ withTimezone: true }),
  createdAt: instant().notNull(),
});
type Kinds = RowOf<
  typeof kinds,
  | 'id'
  | 'label'
  | 'state'
  | 'tx_hash'
  | 'input_count'
  | 'wallet_nonce'
  | 'block_number'
  | 'permit_nonce'
  | 'is_behind'
  | 'owners'
  | 'secret'
  | 'spent_gas'
  | 'tokens'
  | 'remark'
>;
const row: Kinds = {
  id: '3000000000',
  label: 'a text',
  state: 'open',
  tx_hash: '0xab',
  input_count: 7,
  wallet_nonce: '8',
  block_number: '9007199254740993',
  permit_nonce: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  is_behind: true,
  owners: ['first', 'second'],
  secret: Buffer.from('secret'),
  spent_gas: '30000000000',
  tokens: 0.5,
  remark: null,
};
const at = new Date('2026-02-28T23:59:59.123Z');
const names = Object.keys(row).join(', ');

let testDatabase: TestDatabase;
let handle: DatabaseHandle;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const logger = createLogger({ level: 'silent', name: 'test' });
  handle = createDatabase({ url: testDatabase.url, applicationName: 'rows', maxConnections: 1, logger });
  const columns = Object.values(getTableColumns(kinds));
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const definitions = columns.map((column) => `${snake(column.name)} ${column.getSQLType()}`);
  await handle.pool.query(`create table kinds (${definitions.join(', ')})`);
  await handle.database.insert(kinds).values({
    id: 3_000_000_000,
    label: 'a text',
    state: 'open',
    txHash: '0xab',
    inputCount: 7,
    walletNonce: 8,
    blockNumber: 9_007_199_254_740_993n,
    permitNonce: 2n ** 256n - 1n,
    isBehind: true,
    owners: ['first', 'second'],
    secret: Buffer.from('secret'),
    spentGas: '30000000000',
    tokens: 0.5,
    day: '2026-02-28',
    createdAt: at,
  });
});
afterAll(async () => {
  await handle.close();
  await testDatabase.drop();
});

test('a row arrives from the pool and through Drizzle as its type says', async () => {
  const query = `select ${names} from kinds`;
  expect((await handle.pool.query<Kinds>(query)).rows).toEqual([row]);
  expect((await handle.database.execute<Kinds>(query)).rows).toEqual([row]);
});

test('renamed columns arrive as their type says', async () => {
  type Renamed = RowAs<typeof kinds, { readonly hash: 'tx_hash'; nonce: 'wallet_nonce'; remark: 'remark' }>;
  expectTypeOf<Renamed>().toEqualTypeOf<{
    readonly hash: `0x${string}`;
    nonce: string;
    remark: string | null;
  }>();
  const renamed: Renamed = { hash: '0xab', nonce: '8', remark: null };
  const query = 'select tx_hash as hash, wallet_nonce as nonce, remark from kinds';
  expect((await handle.pool.query<Renamed>(query)).rows).toEqual([renamed]);
  expect((await handle.database.execute<Renamed>(query)).rows).toEqual([renamed]);
  // @ts-expect-error no column
  expectTypeOf<RowAs<typeof kinds, { hash: 'txHash' }>>();
  // @ts-expect-error a timestamp
  expectTypeOf<RowAs<typeof kinds, { at: 'created_at' }>>();
});

test('timestamps and dates have no type, because their form depends on who asks', async () => {
  // @ts-expect-error a timestamp
  expectTypeOf<RowOf<typeof kinds, 'created_at'>>();
  // @ts-expect-error a date
  expectTypeOf<RowOf<typeof kinds, 'day'>>();
  const query = 'select created_at, day from kinds';
  expect((await handle.pool.query(query)).rows).toEqual([{ created_at: at, day: expect.any(Date) }]);
  const texts = { created_at: expect.any(String), day: '2026-02-28' };
  expect((await handle.database.execute(query)).rows).toEqual([texts]);
});

test('types of columns', () => {
  expectTypeOf<Kinds>().toEqualTypeOf<{
    id: string;
    label: string;
    state: 'open' | 'closed';
    tx_hash: `0x${string}`;
    input_count: number;
    wallet_nonce: string;
    block_number: string;
    permit_nonce: string;
    is_behind: boolean;
    owners: readonly string[];
    secret: Buffer;
    spent_gas: string;
    tokens: number;
    remark: string | null;
  }>();
  expectTypeOf<OrNull<Pick<Kinds, 'label'>>>().toEqualTypeOf<{ label: string | null }>();
  expectTypeOf<NotNull<Pick<Kinds, 'remark'>>>().toEqualTypeOf<{ remark: string }>();
  // @ts-expect-error the name of the property, not of the column
  expectTypeOf<RowOf<typeof kinds, 'txHash'>>();
});

test('the service and the index have no other kind of column', async () => {
  const kindsOf = (table: Table) =>
    Object.values(getTableColumns(table)).map((column) => `${column.columnType} ${column.getSQLType()}`);
  const folder = new URL('../../../src/platform/database/tables/', import.meta.url);
  const modules = await Promise.all(
    (await readdir(folder)).map((file): Promise<object> => import(new URL(file, folder).href)),
  );
  const tables = [...modules, indexView]
    .flatMap((module) => Object.values(module))
    .filter((value) => is(value, Table));
  expect(tables.length).toBeGreaterThan(30);
  const proven = new Set(kindsOf(kinds));
  const other = new Set(tables.flatMap(kindsOf).filter((kind) => !proven.has(kind)));
  expect([...other]).toEqual([]);
});
