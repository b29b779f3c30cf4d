import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../test/support/listenLocally.ts';

export type SimulationWatch = {
  url: string;
  /** Milliseconds that the node took since the last call of this for what simulates a transaction, and was asked along with it. */
  take(): number;
  close(): Promise<void>;
};

/** A way to a node that takes the time of each simulation there: what passes is left as it is. */
export async function watchSimulations(rpcUrl: string): Promise<SimulationWatch> {
  let simulationMs = 0;
  const pass = async (request: IncomingMessage): Promise<{ status: number; body: string }> => {
    const asked = await text(request);
    const startedAt = performance.now();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body: asked });
    const body = await answer.text();
    if (asked.includes('"eth_estimateGas"')) simulationMs += performance.now() - startedAt;
    return { status: answer.status, body };
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
      const taken = simulationMs;
      simulationMs = 0;
      return taken;
    },
    close,
  };
}
