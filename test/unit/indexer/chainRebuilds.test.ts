import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { readRebuilds } from '../../../src/indexer/runtime/chainRebuilds.ts';

/** A database that refuses each connection with the next of these SQL states, at last with the last one. */
async function startRefusing(states: readonly string[]) {
  const left = [...states];
  const refused: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      const state = left.length > 1 ? (left.shift() ?? '') : (left[0] ?? '');
      refused.push(state);
      const fields = Buffer.from(`SFATAL\0C${state}\0Mrefused with ${state}\0\0`);
      const head = Buffer.from('E\0\0\0\0');
      head.writeInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, fields]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { databaseUrl: `postgres://indexer@127.0.0.1:${port}/agreements?sslmode=disable`, refused };
}

const logger = pino({ level: 'silent' });

test.each([
  ['a wrong password', '28P01'],
  ['a database that does not exist', '3D000'],
  ['a role without the right', '42501'],
])('%s is reported at once', async (_, state) => {
  const { databaseUrl, refused } = await startRefusing([state]);
  await expect(readRebuilds({ databaseUrl, logger })).rejects.toThrow(`refused with ${state}`);
  expect(refused).toEqual([state]);
});

test('a database that is starting is waited for', async () => {
  const { databaseUrl, refused } = await startRefusing(['57P03', '28P01']);
  await expect(readRebuilds({ databaseUrl, logger })).rejects.toThrow('refused with 28P01');
  expect(refused).toEqual(['57P03', '28P01']);
});
