import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { applyMigrations } from '../../../src/platform/database/applyMigrations.ts';
import { migrateDatabase } from '../../../src/platform/database/migrateDatabase.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const committed = fileURLToPath(new URL('../../../src/platform/database/migrations', import.meta.url));
const journalShape = z.looseObject({
  entries: z.array(z.looseObject({ idx: z.int(), when: z.number(), tag: z.string() })),
});
const ofTwoTables = [
  'alter table "service"."events" add column "later" text',
  'alter table "service"."transactions" add column "later" text',
];

const closings: (() => Promise<unknown>)[] = [];
let url: string;
beforeEach(async () => {
  const database = await createTestDatabase();
  closings.push(database.drop);
  url = database.url;
});
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  closings.push(() => client.end());
  return client;
}

/** A folder with the committed migrations and one later migration with these statements. */
async function addMigration(...statements: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agreements-migrations-'));
  closings.push(() => rm(folder, { recursive: true }));
  await cp(committed, folder, { recursive: true });
  const entries = await readEntries();
  const last = entries.at(-1);
  if (!last) throw new Error('there are no migrations');
  const later = { ...last, idx: last.idx + 1, when: last.when + 1, tag: 'later' };
  await writeFile(join(folder, 'later.sql'), statements.join('--> statement-breakpoint\n'));
  const path = join(folder, 'meta/_journal.json');
  const journal = journalShape.parse(JSON.parse(await readFile(path, 'utf8')));
  await writeFile(path, JSON.stringify({ ...journal, entries: [...entries, later] }));
  return folder;
}

async function readEntries() {
  const text = await readFile(join(committed, 'meta/_journal.json'), 'utf8');
  return journalShape.parse(JSON.parse(text)).entries;
}

async function readHistory(client: pg.Client): Promise<unknown[]> {
  return (await client.query('select hash, created_at from service.migrations order by id')).rows;
}

test('migrations give way to a transaction that would wait for them in a circle', async () => {
  const client = await connect();
  await applyMigrations(client, { folder: committed });
  const earlier = (await readHistory(client)).length;
  const folder = await addMigration(...ofTwoTables);
  // With this time-out PostgreSQL would end the other session of the deadlock, not this one.
  await client.query(`set deadlock_timeout = '10min'`);

  const [serving, watching] = [await connect(), await connect()];
  await serving.query('begin');
  await serving.query('lock table service.transactions in row exclusive mode');
  const migrating = applyMigrations(client, { folder });
  await waitUntil('the migration waits', async () => (await readLockWaits(watching)).length === 1);
  await serving.query(`update service.events set state = state`);
  await serving.query('commit');
  await migrating;
  expect((await readHistory(client)).length).toBe(earlier + 1);
  expect((await client.query('select later from service.transactions')).rowCount).toBe(0);
});

test('while a migration makes indexes alone, its table can be read', async () => {
  const [client, holding, reading] = [await connect(), await connect(), await connect()];
  await applyMigrations(client, { folder: committed });
  await client.query(`insert into service.worker_leases (id, lease_until) values ('one', now())`);
  await client.query(`create function service.slowly(text) returns text immutable language plpgsql as
    'begin perform pg_advisory_xact_lock(7); return $1; end'`);
  const folder = await addMigration(
    'create index "slow" on "service"."worker_leases" (service.slowly("id"))',
  );
  await holding.query('select pg_advisory_lock(7)');
  const migrating = applyMigrations(client, { folder });
  await waitUntil('the index is being built', async () => (await readLockWaits(holding)).length === 1);
  expect((await reading.query('select id from service.worker_leases')).rows).toEqual([{ id: 'one' }]);
  await holding.query('select pg_advisory_unlock(7)');
  await migrating;
  expect((await reading.query(`select to_regclass('service.slow') is not null as is_made`)).rows).toEqual([
    { is_made: true },
  ]);
});

test('a migration that fails leaves earlier ones applied, and nothing of itself', async () => {
  const folder = await addMigration('create table "service"."half" ()', 'drop table "service"."absent"');
  const client = await connect();
  await expect(applyMigrations(client, { folder })).rejects.toThrow(/"?absent"? does not exist/);
  expect(await readHistory(client)).toHaveLength((await readEntries()).length);
  expect((await client.query(`select to_regclass('service.half') as half`)).rows).toEqual([{ half: null }]);
});

test('what Drizzle has migrated is known', async () => {
  const client = await connect();
  await migrate(drizzle(client), {
    migrationsFolder: committed,
    migrationsSchema: 'service',
    migrationsTable: 'migrations',
  });
  const earlier = await readHistory(client);
  await migrateDatabase(url);
  expect(await readHistory(client)).toEqual(earlier);
});

test('nothing is made twice by processes that start together', async () => {
  await Promise.all([1, 2, 3].map(() => migrateDatabase(url)));
  expect(await readHistory(await connect())).toHaveLength((await readEntries()).length);
});
