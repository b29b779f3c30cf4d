import { createServer } from 'node:http';
import { z } from 'zod';
import { listenLocally } from '../../support/listenLocally.ts';

/** An endpoint of a real chain that can be held, so that it answers only once released. */
export type SlowEndpoint = {
  url: string;
  /** Number of held requests and answers. */
  waiting(): number;
  /**
   * Holds requests before they reach the chain; with `answers`, asks the chain at once and holds its answers.
   */
  hold(what?: 'questions' | 'answers'): void;
  /** Releases held and later requests and answers. */
  release(): void;
  close(): Promise<void>;
};

/** Never holds requests for the block height alone, because they are independent of the tested requests. */
export async function startSlowEndpoint(rpcUrl: string): Promise<SlowEndpoint> {
  let gate = Promise.withResolvers<void>();
  let held: 'questions' | 'answers' = 'questions';
  let waiting = 0;
  gate.resolve();
  const pass = async (question: string) => {
    if (asksForHeight(question)) return;
    waiting++;
    await gate.promise;
    waiting--;
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const question = Buffer.concat(chunks).toString();
    if (held === 'questions') await pass(question);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body: question });
    const text = await answer.text();
    if (held === 'answers') await pass(question);
    response.writeHead(answer.status, headers).end(text);
  });
  const local = await listenLocally(server);
  return {
    url: local.url,
    waiting: () => waiting,
    hold(what = 'questions') {
      held = what;
      gate = Promise.withResolvers();
    },
    release: () => gate.resolve(),
    async close() {
      gate.resolve();
      await local.close();
    },
  };
}

const callsShape = z.array(z.object({ method: z.string(), params: z.array(z.unknown()).default([]) }));

function asksForHeight(question: string): boolean {
  return callsShape
    .parse(JSON.parse(question))
    .every(({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest');
}
