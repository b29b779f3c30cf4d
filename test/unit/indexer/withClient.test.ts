import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { withClient } from '../../../src/indexer/runtime/withClient.ts';

test('a database that accepts a connection and says nothing is given up in time', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const asked = withClient({ connectionString: `postgres://a:b@127.0.0.1:${port}/none` }, async () => 'lent');
  await expect(asked).rejects.toThrow('timeout expired');
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => server.close(closed));
}, 15_000);
