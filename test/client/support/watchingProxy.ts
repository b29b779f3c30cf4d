import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type WatchingProxy = {
  readonly baseUrl: string;
  /** The requested paths, with their queries. */
  readonly paths: readonly string[];
  /** While it is away, connections break without an answer. */
  setAway(isAway: boolean): void;
  close(): Promise<void>;
};

/** A proxy to a service that changes nothing and notes the requested paths. Streams pass too. */
export async function startWatchingProxy(target: string): Promise<WatchingProxy> {
  const paths: string[] = [];
  let isAway = false;
  const server = createServer((asked, answer) => {
    const { url = '', method, headers } = asked;
    paths.push(url);
    if (isAway) return void answer.destroy();
    const onward = request(target + url, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    paths,
    setAway(wanted) {
      isAway = wanted;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
