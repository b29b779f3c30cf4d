import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../test/support/listenLocally.ts';

export type NodeWatch = {
  url: string;
  /**
   * The number of calls since `take` was last called, without the regular polls for the node's latest block and chain.
   */
  take(): number;
  close(): Promise<void>;
};

/** Each process polls its nodes with the first of these every other second. The second only ever goes together with another call. */
const ownCalls = /"eth_(getBlockByNumber|chainId)"/g;
const anyCall = /"method"/g;

/** A proxy to a node that counts the calls and changes nothing. */
export async function watchNode(rpcUrl: string): Promise<NodeWatch> {
  let calls = 0;
  const count = (asked: string, pattern: RegExp) => asked.match(pattern)?.length ?? 0;
  const pass = async (request: IncomingMessage): Promise<{ status: number; body: string }> => {
    const asked = await text(request);
    calls += count(asked, anyCall) - count(asked, ownCalls);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body: asked });
    return { status: answer.status, body: await answer.text() };
  };
  const server = createServer((request, response) => {
    pass(request).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      () => response.writeHead(502).end(),
    );
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    take() {
      const taken = calls;
      calls = 0;
      return taken;
    },
    close,
  };
}
