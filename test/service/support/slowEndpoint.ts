import { createServer } from 'node:http';
import { z } from 'zod';
import { listenLocally } from '../../support/listenLocally.ts';

/** An endpoint of a real chain that can be made to answer only when it is told to. */
export type SlowEndpoint = {
  url: string;
  /** Questions that wait to be asked, and answers that wait to be told. */
  waiting(): number;
  /** Asks the chain only when it is released; or with `answers` at once, and tells what it said then. */
  hold(what?: 'questions' | 'answers'): void;
  /** Lets what waits, and what comes, through. */
  release(): void;
  close(): Promise<void>;
};

/** Questions for the height alone are asked at all times, beside what is tested: they are never held. */
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
