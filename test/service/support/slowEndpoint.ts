import { createServer } from 'node:http';
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

export async function startSlowEndpoint(rpcUrl: string): Promise<SlowEndpoint> {
  let gate = Promise.withResolvers<void>();
  let held: 'questions' | 'answers' = 'questions';
  let waiting = 0;
  gate.resolve();
  const pass = async () => {
    waiting++;
    await gate.promise;
    waiting--;
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (held === 'questions') await pass();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body: Buffer.concat(chunks) });
    const text = await answer.text();
    if (held === 'answers') await pass();
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
