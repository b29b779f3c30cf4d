import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { clusterDirectory } from '../../src/cli/devtools/clusterDirectory.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { type PostgresServer, startPostgres } from '../../src/cli/devtools/postgres.ts';
import { isDatabaseAway } from '../../src/platform/database/isDatabaseAway.ts';
import { listenLocally } from '../support/listenLocally.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** Every test starts a server on it. Only the first one creates its files, which takes seconds. */
let dataDirectory: string;
const started: PostgresServer[] = [];

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'agreements-data-'));
});
afterEach(async () => {
  for (const server of started.splice(0).reverse()) await server.stop();
});
afterAll(() => rm(dataDirectory, { recursive: true }));

async function start(port?: number): Promise<PostgresServer> {
  const server = await startPostgres({ dataDirectory, ...(port !== undefined && { port }) });
  started.push(server);
  return server;
}

const askForWay = "select coalesce(host(inet_client_addr()), 'socket') as way";

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
  const first = await start();
  await query(first.url, 'create table kept as select 7 as value');
  await first.kill();
  // Its sessions hold the port for a moment longer.
  await waitUntil('the port is free', async () => (await findFreePort(first.port)) === first.port);
  const second = await start(first.port);
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'select value from kept')).toEqual([{ value: 7 }]);
});

test('a server that somebody else has killed counts as killed', async () => {
  const server = await start();
  const [pid] = (await readFile(join(clusterDirectory(dataDirectory), 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  // Without a turn of the event loop, in which this process would learn of it.
  while (existsSync(`/proc/${pid}`));
  await server.kill();
});

test('a server that has not ended yet is waited for by the next one on its data', async () => {
  const first = await start();
  await query(first.url, 'create table kept_at_the_end as select 7 as value');
  const readLog = () => readFile(join(dataDirectory, 'server.log'), 'utf8');
  const before = (await readLog()).length;
  const starting = start();
  await waitUntil('the next one has found the first', async () =>
    (await readLog()).slice(before).includes('already exists'),
  );
  await first.stop();
  expect(await query((await starting).url, 'select value from kept_at_the_end')).toEqual([{ value: 7 }]);
});

test('another port is chosen if the requested one is taken', async () => {
  const { url, close } = await listenLocally(createServer());
  const port = Number(new URL(url).port);
  try {
    const server = await start(port);
    expect(server.port).not.toBe(port);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  } finally {
    await close();
  }
});

test('the server holds UTF-8 in locale C, listens on loopback alone and asks for the password', async () => {
  const { url } = await start();
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

test('the local URL leads through a socket that only the account of the server can enter, and asks for the password', async () => {
  const { url, localUrl } = await start();
  expect(await query(url, askForWay)).toEqual([{ way: '127.0.0.1' }]);
  expect(await query(localUrl, askForWay)).toEqual([{ way: 'socket' }]);
  const directory = new URL(localUrl).searchParams.get('host');
  expect((await stat(directory ?? '')).mode & 0o077).toBe(0);
  const stranger = new URL(localUrl);
  stranger.password = 'guess';
  await expect(query(stranger.href, 'select 1')).rejects.toThrow('password authentication failed');
});

test('in a directory whose path is too long for a socket, the local URL leads through TCP', async () => {
  const long = join(dataDirectory, 'a'.repeat(100));
  const server = await startPostgres({ dataDirectory: long });
  started.push(server);
  expect(await query(server.localUrl, askForWay)).toEqual([{ way: '127.0.0.1' }]);
});

test('where no socket can be made, as in some mounted directories, the local URL leads through TCP', async () => {
  const settings = { unix_socket_group: 'a group that does not exist' };
  const server = await startPostgres({ dataDirectory, settings });
  started.push(server);
  expect(await query(server.localUrl, askForWay)).toEqual([{ way: '127.0.0.1' }]);
});

test.each(['a, b', 'a "b" c'])('in a directory named %s, there is a socket too', async (name) => {
  const server = await startPostgres({ dataDirectory: join(dataDirectory, name) });
  started.push(server);
  expect(await query(server.localUrl, askForWay)).toEqual([{ way: 'socket' }]);
});

test('a server that is stopped counts as away for its local URL too', async () => {
  const { localUrl, stop } = await start();
  await stop();
  const failure = await query(localUrl, 'select 1').catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'ENOENT' });
  expect(isDatabaseAway(failure)).toBe(true);
});

test('a frozen server counts as away for its local URL too, even if no more connections may wait for it', async () => {
  const server = await startPostgres({ dataDirectory, settings: { max_connections: '5' } });
  started.push(server);
  const directory = new URL(server.localUrl).searchParams.get('host') ?? '';
  const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGSTOP');
  const connect = async () => {
    const client = new pg.Client({ connectionString: server.localUrl, connectionTimeoutMillis: 500 });
    return client.connect().catch((error: unknown) => error);
  };
  const failures = await Promise.all(Array.from({ length: 20 }, connect)).finally(() =>
    process.kill(Number(pid), 'SIGCONT'),
  );
  expect(failures).toContainEqual(
    expect.objectContaining({ code: expect.stringMatching(/^(EAGAIN|ECONNREFUSED)$/) }),
  );
  expect(failures.filter((failure) => !isDatabaseAway(failure))).toEqual([]);
});

test('a lock of its socket that a killed server has left does not hold up the next one', async () => {
  const first = await start();
  await first.stop();
  const directory = new URL(first.localUrl).searchParams.get('host') ?? '';
  const lock = join(directory, `.s.PGSQL.${first.port}.lock`);
  // Another program of the same account has its process id now.
  const { uid, gid } = await stat(directory);
  const other = spawn('sleep', ['60'], { uid, gid });
  try {
    await writeFile(lock, `${other.pid}\n${directory}\n0\n${first.port}\n${directory}\n`, { mode: 0o600 });
    await chown(lock, uid, gid);
    const second = await start(first.port);
    expect(await query(second.localUrl, askForWay)).toEqual([{ way: 'socket' }]);
  } finally {
    other.kill();
  }
});
