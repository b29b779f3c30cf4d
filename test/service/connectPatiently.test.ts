import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { connectPatiently } from '../../src/platform/database/connectPatiently.ts';
import { createDatabaseProxy } from '../support/databaseProxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const applicationName = 'patience';

test('a database that comes up later is waited for', async () => {
  const port = await findFreePort();
  const url = new URL(database.url);
  const target = { host: url.hostname, port: Number(url.port) };
  url.host = `127.0.0.1:${port}`;
  const connected = connectPatiently({ url: url.href, applicationName, patienceMs: 60_000 });
  // By now the first attempt to connect has failed too.
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  const server = createServer((socket) => {
    const upstream = connect(target);
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream]) end.on('error', () => {});
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const client = await connected;
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await client.end();
  server.close();
});

test('a database that falls silent right after the connection is made is asked anew on another one', async () => {
  let connections = 0;
  const { url, close } = await createDatabaseProxy(database.url, (client, upstream) => {
    const isSilent = ++connections === 1;
    client.on('data', (data) => {
      // A statement of the first connection gets no answer.
      if (!(isSilent && data.includes('pg_is_in_recovery'))) upstream.write(data);
    });
    upstream.pipe(client);
  });
  const client = await connectPatiently({ url, applicationName, patienceMs: 60_000 });
  expect(connections).toBe(2);
  await client.end();
  await close();
});

test('what waiting cannot mend fails at once, and an absent database after the patience', async () => {
  const unknown = new URL(database.url);
  unknown.pathname = '/no_such_database';
  await expect(
    connectPatiently({ url: unknown.href, applicationName, patienceMs: 3_600_000 }),
  ).rejects.toMatchObject({ code: '3D000' });
  const nowhere = `postgres://nobody@127.0.0.1:${await findFreePort()}/none`;
  await expect(connectPatiently({ url: nowhere, applicationName, patienceMs: 0 })).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});
