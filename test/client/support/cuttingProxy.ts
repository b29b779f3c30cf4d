import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type CuttingProxy = {
  readonly baseUrl: string;
  /** The number of connections cut so far. */
  cuts(): number;
  close(): Promise<void>;
};

/**
 * A proxy to a service. It cuts each connection that requested `path` after a chosen number of bytes of the
 * answer.
 */
export async function startCuttingProxy(options: {
  target: string;
  path: string;
  chooseBytes: () => number;
}): Promise<CuttingProxy> {
  const target = new URL(options.target);
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let left = Number.POSITIVE_INFINITY;
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      if (data.includes(`GET ${options.path}`)) left = options.chooseBytes();
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      client.write(data.subarray(0, left));
      left -= data.length;
      if (left > 0) return;
      cuts++;
      client.destroySoon();
      upstream.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
