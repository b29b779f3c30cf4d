import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../../test/support/listenLocally.ts';

/** Request bodies in order, with the number of concurrent ones. */
export type Recording = { readonly bodies: readonly string[]; readonly atOnce: number };

export type RecordedNode = {
  readonly url: string;
  /** Returns the requests since the last call. */
  take(): Recording;
  /**
   * Sends the same requests again, with the same concurrency and route, and returns the duration in
   * milliseconds.
   */
  replay(recording: Recording): Promise<number>;
  close(): Promise<void>;
};

const headers = { 'content-type': 'application/json' };

/** A proxy to a node that records the requests. */
export async function recordNode(rpcUrl: string): Promise<RecordedNode> {
  let bodies: string[] = [];
  let underWay = 0;
  let atOnce = 0;
  const server = createServer(async (request, response) => {
    try {
      const body = await text(request);
      bodies.push(body);
      atOnce = Math.max(atOnce, ++underWay);
      const answer = await fetch(rpcUrl, { method: 'POST', headers, body });
      const said = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, headers).end(said);
    } catch {
      response.writeHead(502).end();
    } finally {
      underWay--;
    }
  });
  const { url, close } = await listenLocally(server);
  const take = () => {
    const taken = { bodies, atOnce };
    bodies = [];
    atOnce = 0;
    return taken;
  };
  return {
    url,
    close,
    take,
    async replay({ bodies: recorded, atOnce: lanes }) {
      const startedAt = performance.now();
      const queue = recorded.values();
      const lane = async () => {
        for (const body of queue) await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer();
      };
      await Promise.all(Array.from({ length: Math.max(1, lanes) }, lane));
      take();
      return performance.now() - startedAt;
    },
  };
}
