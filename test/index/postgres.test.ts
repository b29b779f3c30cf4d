import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { type PostgresServer, startPostgres } from '../../src/cli/devtools/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'agreements-data-'));
  cleanups.push(() => rm(path, { recursive: true }));
  return path;
}

async function start(dataDirectory: string, port?: number): Promise<PostgresServer> {
  const server = await startPostgres({ dataDirectory, ...(port !== undefined && { port }) });
  cleanups.push(() => server.stop());
  return server;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('data committed before the server was killed are there when it starts again', async () => {
  const dataDirectory = await temporaryDirectory();
  const first = await start(dataDirectory);
  await query(first.url, 'create table kept as select 7 as value');
  await first.kill();
  // Its sessions hold the port for a moment longer.
  await waitUntil('the port is free', async () => (await findFreePort(first.port)) === first.port);
  const second = await start(dataDirectory, first.port);
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'select value from kept')).toEqual([{ value: 7 }]);
});

test('a server that has not ended yet is waited for by the next one on its data', async () => {
  const dataDirectory = await temporaryDirectory();
  const first = await start(dataDirectory);
  await query(first.url, 'create table kept as select 7 as value');
  const starting = start(dataDirectory);
  const log = join(dataDirectory, 'server.log');
  await waitUntil('the next one has found the first', async () =>
    (await readFile(log, 'utf8')).includes('already exists'),
  );
  await first.stop();
  expect(await query((await starting).url, 'select value from kept')).toEqual([{ value: 7 }]);
});

test('another port is chosen if the requested one is taken', async () => {
  const first = await start(await temporaryDirectory());
  const second = await start(await temporaryDirectory(), first.port);
  expect(second.port).not.toBe(first.port);
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('the server holds UTF-8 in locale C, listens on loopback alone and asks for the password', async () => {
  const { url } = await start(await temporaryDirectory());
  const [row] = await query(
    url,
    `select pg_encoding_to_char(encoding) as encoding, datcollate as collation,
       current_setting('listen_addresses') as addresses from pg_database where datname = 'postgres'`,
  );
  expect(row).toEqual({ encoding: 'UTF8', collation: 'C', addresses: '127.0.0.1' });
  const stranger = new URL(url);
  stranger.password = 'guess';
  await expect(query(stranger.href, 'select 1')).rejects.toThrow('password authentication failed');
});
