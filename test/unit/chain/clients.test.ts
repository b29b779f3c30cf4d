import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createChainClients } from '../../../src/api/chain/clients.ts';
import { simulateCall } from '../../../src/api/chain/simulateCall.ts';
import { ChainUnavailableError } from '../../../src/api/errors/serviceError.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** An endpoint that treats every request in one way, and counts them. */
async function startEndpoint(listener: RequestListener): Promise<{ url: string; count(): number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    listener(request, response);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, count: () => count };
}

/** Answers every call of a batch with the same. */
const answering =
  (answer: object): RequestListener =>
  async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const calls: { id: number }[] = JSON.parse(body);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, ...answer }))));
  };
const healthy = answering({ result: '0x7' });
const refusing =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end('no');
  };
const silent: RequestListener = () => {};

function connect(...rpcUrls: [string, ...string[]]) {
  const client = createChainClients([{ chainId: 59141, name: 'Test', rpcUrls }], { rpcTimeoutMs: 200 }).get(
    59141,
  );
  if (!client) throw new Error('no client was made');
  return client;
}

describe('a chain is reached', () => {
  test.each([
    ['refuses connections', undefined],
    ['fails', refusing(500)],
    ['limits its callers', refusing(429, { 'retry-after': '3600' })],
    ['limits its callers in an answer', answering({ error: { code: -32_005, message: 'limit exceeded' } })],
    ['does not answer in time', silent],
  ])('over the next endpoint where the first %s', async (_, listener) => {
    const first = listener ? (await startEndpoint(listener)).url : 'http://127.0.0.1:9';
    const second = await startEndpoint(healthy);
    expect(await connect(first, second.url).getBlockNumber()).toBe(7n);
    expect(second.count()).toBe(1);
  });

  test('after a while where all endpoints are busy for a moment, however long they ask for', async () => {
    let isBusy = true;
    const endpoint = await startEndpoint((request, response) => {
      if (isBusy) refusing(429, { 'retry-after': '3600' })(request, response);
      else healthy(request, response);
      isBusy = false;
    });
    expect(await connect(endpoint.url).getBlockNumber()).toBe(7n);
  });

  test('with one request for the calls of one moment', async () => {
    const endpoint = await startEndpoint(healthy);
    const client = connect(endpoint.url);
    expect(await Promise.all([client.getBlockNumber(), client.getGasPrice()])).toEqual([7n, 7n]);
    expect(endpoint.count()).toBe(1);
  });
});

describe('a simulation', () => {
  const call = { from: undefined, to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', data: '0x' } as const;

  test('asks no other endpoint once one has said that the call reverts', async () => {
    const first = await startEndpoint(
      answering({ error: { code: 3, message: 'execution reverted: no', data: '0x08c379a0' } }),
    );
    const second = await startEndpoint(healthy);
    const simulation = await simulateCall(connect(first.url, second.url), call);
    expect(simulation).toMatchObject({ ok: false, data: '0x08c379a0' });
    expect(second.count()).toBe(0);
  });

  test.each([
    ['all endpoints are gone', refusing(503)],
    ['the node lacks the block', answering({ error: { code: -32_000, message: 'header not found' } })],
    ['the node is broken', answering({ error: { code: -32_603, message: 'internal error' } })],
  ])('is no judgement of the call where %s', async (_, listener) => {
    const { url } = await startEndpoint(listener);
    await expect(simulateCall(connect(url), call)).rejects.toThrow(ChainUnavailableError);
  });
});
