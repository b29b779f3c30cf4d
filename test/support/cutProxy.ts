import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * When a connection is cut: before its transaction begins, before the commit reaches the server, or after the
 * commit but before the answer comes back.
 */
export type Cut = 'beforeBegin' | 'beforeCommit' | 'afterCommit';

export type CutProxy = {
  /** The connection string of the database through this proxy. */
  url: string;
  /**
   * Cuts this number of the next connections that begin or commit a transaction. With `containing`, only where
   * the transaction has sent this text, for example a table's name: a process also commits on its own account.
   */
  cutNext(cut: Cut, options?: { count?: number; containing?: string }): void;
  /** Cuts none of the next connections. */
  stopCutting(): void;
  count(): number;
  close(): Promise<void>;
};

/** A proxy to a real PostgreSQL that breaks connections at the worst moments. */
export async function createCutProxy(databaseUrl: string): Promise<CutProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let wanted: Cut | undefined;
  let containing = '';
  let left = 0;
  let done = 0;

  const takeCut = (data: Buffer, hasSent: boolean): Cut | undefined => {
    if (left === 0 || !hasSent) return undefined;
    if (!data.includes(wanted === 'beforeBegin' ? 'begin\0' : 'commit\0')) return undefined;
    left--;
    done++;
    return wanted;
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isAwaited = false;
    let hasSent = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
      sockets.delete(upstream);
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      if (data.includes('begin\0')) hasSent = false;
      hasSent ||= data.includes(containing);
      const cut = takeCut(data, hasSent);
      if (cut === 'beforeBegin' || cut === 'beforeCommit') return end();
      isAwaited ||= cut === 'afterCommit';
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      // The server's next message after the commit shows that the commit has taken effect.
      if (isAwaited) return end();
      client.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cutNext(cut, { count = 1, containing: text = '' } = {}) {
      wanted = cut;
      left = count;
      containing = text;
    },
    stopCutting() {
      left = 0;
    },
    count: () => done,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
