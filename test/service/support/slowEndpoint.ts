import { createServer } from 'node:http';
import { listenLocally } from '../../support/listenLocally.ts';

/** An endpoint of a real chain that can be made to answer only when it is told to. */
export type SlowEndpoint = {
  url: string;
  /** Questions that wait for their answer. */
  waiting(): number;
  hold(): void;
  /** Lets what waits, and what comes, through. */
  release(): void;
  close(): Promise<void>;
};

export async function startSlowEndpoint(rpcUrl: string): Promise<SlowEndpoint> {
  let gate = Promise.withResolvers<void>();
  let waiting = 0;
  gate.resolve();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    waiting++;
    await gate.promise;
    waiting--;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  const local = await listenLocally(server);
  return {
    url: local.url,
    waiting: () => waiting,
    hold() {
      gate = Promise.withResolvers();
    },
    release: () => gate.resolve(),
    async close() {
      gate.resolve();
      await local.close();
    },
  };
}
