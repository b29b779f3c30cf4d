import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { onTestFinished } from 'vitest';
import { createChainAccess } from '../../../../src/platform/nodes/clients.ts';

/** An endpoint until the end of the test that treats all requests in one way, and counts them. */
export async function startEndpoint(listener: RequestListener): Promise<{ url: string; count(): number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    listener(request, response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, count: () => count };
}

/** The answer of a node about its chain. */
export const own = { result: '0xe705' };
/** Gives every call of a batch the same answer, but names a chain. */
export const answering =
  (answer: object, chain: () => object = () => own): RequestListener =>
  async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const calls: { id: number; method: string }[] = JSON.parse(body);
    response.setHeader('content-type', 'application/json');
    const answers = calls.map(({ id, method }) => ({
      ...{ jsonrpc: '2.0', id },
      ...(method === 'eth_chainId' ? chain() : answer),
    }));
    response.end(JSON.stringify(answers));
  };
/** A node of a chain. Each block's hash is its number; each block is one second later than the one before. */
export const standing =
  (height: () => number, claimed = height): RequestListener =>
  async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const calls: { id: number; method: string; params: unknown[] }[] = JSON.parse(body);
    const toHex = (value: number) => `0x${value.toString(16)}`;
    const block = (number: number, told = number) => ({
      number: toHex(told),
      timestamp: toHex(number),
      parentHash: toHex(number - 1),
    });
    const answer = ({ method, params }: (typeof calls)[number]) => {
      if (method === 'eth_getBlockByNumber') return block(height(), claimed());
      if (method === 'eth_getBlockByHash') return block(Number(params[0]));
      if (method === 'eth_chainId') return own.result;
      return toHex(claimed());
    };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', id: call.id, result: answer(call) }))),
    );
  };
export const healthy = answering({ result: '0x7' });
export const refusing =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end('no');
  };
export const silent: RequestListener = () => {};

/** A busy machine must not look like a silent endpoint; only tests of silence use a shorter time-out. */
export const patientMs = 10_000;

export function access(
  rpcUrls: [string, ...string[]],
  {
    rpcRequestsPerSecond,
    rpcTimeoutMs = patientMs,
    logger,
  }: { rpcRequestsPerSecond?: number; rpcTimeoutMs?: number; logger?: Logger } = {},
) {
  const chain = { chainId: 59141, name: 'Test', rpcUrls, rpcRequestsPerSecond };
  const {
    clients,
    describe: describeEndpoints,
    ...others
  } = createChainAccess([chain], { rpcTimeoutMs }, logger);
  const client = clients.get(59141);
  if (!client) throw new Error('no client was made');
  return { client, describeEndpoints, ...others };
}
export const connect = (...rpcUrls: [string, ...string[]]) => access(rpcUrls).client;
