import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Forwarder = {
  readonly port: number;
  /** Stops all traffic on existing and new connections, without telling either side. */
  freeze(): void;
  /** Continues after `freeze`: data sent in the meantime arrives. */
  thaw(): void;
  /** From now on leads to another server; cuts existing connections. */
  moveTo(port: number): void;
  close(): Promise<void>;
};

/** One address of this machine in front of a server that can change. */
export async function startForwarder(firstPort: number): Promise<Forwarder> {
  let target = firstPort;
  let isFrozen = false;
  /** The two ends of each connection; the second is undefined while the connection leads nowhere. */
  const pairs = new Map<Socket, Socket | undefined>();

  const join = (client: Socket) => {
    const upstream = connect(target, '127.0.0.1');
    pairs.set(client, upstream);
    upstream.setNoDelay(true);
    const end = () => {
      // While frozen, neither side may notice an end.
      if (!isFrozen) drop(client);
    };
    upstream.on('error', end).on('close', end);
    client.on('close', end);
    client.pipe(upstream).pipe(client);
  };
  const drop = (client: Socket) => {
    client.destroy();
    pairs.get(client)?.destroy();
    pairs.delete(client);
  };
  const server = createServer((client) => {
    client.setNoDelay(true);
    client.on('error', () => {});
    pairs.set(client, undefined);
    if (!isFrozen) join(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  return {
    port,
    freeze() {
      isFrozen = true;
      for (const [client, upstream] of pairs) {
        client.unpipe().pause();
        upstream?.unpipe().pause();
      }
    },
    thaw() {
      isFrozen = false;
      for (const [client, upstream] of pairs) {
        if (client.destroyed || upstream?.destroyed) drop(client);
        else if (upstream) client.pipe(upstream).pipe(client);
        else join(client);
      }
    },
    moveTo(next) {
      target = next;
      isFrozen = false;
      for (const client of pairs.keys()) drop(client);
    },
    async close() {
      for (const client of pairs.keys()) drop(client);
      server.close();
      await once(server, 'close');
    },
  };
}
