import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { withClient } from '../../../src/indexer/runtime/withClient.ts';

afterEach(() => vi.useRealTimers());

test('a database that accepts a connection and says nothing is given up after ten seconds', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const asked = withClient({ connectionString: `postgres://a:b@127.0.0.1:${port}/none` }, async () => 'lent');
  const outcome = asked.catch((error: Error) => error.message);
  await once(server, 'connection');
  vi.advanceTimersByTime(10_000);
  expect(await outcome).toBe('timeout expired');
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});
