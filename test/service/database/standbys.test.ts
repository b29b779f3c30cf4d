import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectPatiently } from '../../../src/platform/database/connectPatiently.ts';
import { createDatabase, type DatabaseHandle } from '../../../src/platform/database/database.ts';
import { isDatabaseAway } from '../../../src/platform/database/isDatabaseAway.ts';
import { createDatabaseProbe } from '../../../src/platform/operations/databaseProbe.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicatedPostgres.ts';

const logger = pino({ level: 'silent' });

let postgres: ReplicatedPostgres;
beforeAll(async () => {
  postgres = await startReplicatedPostgres();
  const primary = open(postgres.primaryUrl);
  await primary.pool.query('create table notes (text text)');
  await primary.close();
  const isReplayed = `select to_regclass('notes') is not null as is_there`;
  await waitUntil(
    'the standby has the table',
    async () => (await postgres.askReplica(isReplayed)).rows[0].is_there,
  );
});
afterAll(() => postgres?.close());

/** An address that leads to the standby first, and later to the primary, without closing what it has opened. */
let address: Server;
let target: URL;
let handle: DatabaseHandle;
beforeEach(async () => {
  target = new URL(postgres.replicaUrl);
  address = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream]) end.on('error', () => {});
  });
  address.listen(0, '127.0.0.1');
  await once(address, 'listening');
  handle = open(readUrl());
});
afterEach(async () => {
  await handle.close();
  address.close();
});

function open(url: string): DatabaseHandle {
  return createDatabase({ url, applicationName: 'standbys', maxConnections: 1, logger });
}

function readUrl(): string {
  const url = new URL(postgres.primaryUrl);
  const { port }: AddressInfo = Object(address.address());
  url.host = `127.0.0.1:${port}`;
  return url.href;
}

const write = () => handle.pool.query(`insert into notes values ('written')`);

test('a pool that met a standby writes as soon as its address leads to the primary', async () => {
  const failure = await handle.pool.query('select 1').catch((error: unknown) => error);
  expect(isDatabaseAway(failure)).toBe(true);
  await expect(write()).rejects.toThrow();
  target = new URL(postgres.primaryUrl);
  await write();
});

test('a starting process waits until its address leads to the primary', async () => {
  const connecting = connectPatiently({ url: readUrl(), applicationName: 'standbys', patienceMs: 60_000 });
  const accepted = once(address, 'connection');
  await accepted;
  target = new URL(postgres.primaryUrl);
  const client = await connecting;
  const { rows } = await client.query('select pg_is_in_recovery() as is_standby');
  expect(rows).toEqual([{ is_standby: false }]);
  await client.end();
});

test('a database that takes no writes does not count as there', async () => {
  const takesWrites = createDatabaseProbe(handle.pool);
  expect(await takesWrites()).toBe(false);
  target = new URL(postgres.primaryUrl);
  expect(await takesWrites()).toBe(true);
  // Managed databases do so when their disk is almost full.
  await handle.pool.query('set default_transaction_read_only = on');
  expect(await takesWrites()).toBe(false);
});
