import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type CountedDatabase = {
  /** The connection string of the database through this proxy. */
  url: string;
  /** The bytes of the longest answer to one message since the last call. */
  takeLongest(): number;
  close(): Promise<void>;
};

/** A proxy to a real PostgreSQL that counts the bytes of answers. */
export async function createCountedDatabase(databaseUrl: string): Promise<CountedDatabase> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let longest = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let bytes = 0;
    client.on('data', (data) => {
      bytes = 0;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      bytes += data.length;
      longest = Math.max(longest, bytes);
      client.write(data);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    takeLongest() {
      const taken = longest;
      longest = 0;
      return taken;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
