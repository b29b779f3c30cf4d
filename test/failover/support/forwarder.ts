import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Forwarder = {
  readonly port: number;
  /** Nothing gets through any more, neither by the connections that there are nor by new ones, and nobody is told. */
  freeze(): void;
  /** Goes on where it froze: what was sent meanwhile arrives. */
  thaw(): void;
  /** Leads to another server from now on; what there was is cut. */
  moveTo(port: number): void;
  close(): Promise<void>;
};

/** One address of this machine before whichever server it leads to. */
export async function startForwarder(firstPort: number): Promise<Forwarder> {
  let target = firstPort;
  let isFrozen = false;
  /** Each connection by both its ends; the second is undefined while it leads nowhere. */
  const pairs = new Map<Socket, Socket | undefined>();

  const join = (client: Socket) => {
    const upstream = connect(target, '127.0.0.1');
    pairs.set(client, upstream);
    upstream.setNoDelay(true);
    const end = () => {
      // Whoever froze it is not to be told of an end.
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
