import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { refuseLongBlocks } from '../../../src/indexer/runtime/longBlocks.ts';
import { listenLocally } from '../../support/listenLocally.ts';

const fetchUrl = globalThis.fetch;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  globalThis.fetch = fetchUrl;
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** What Ponder gets for a node's answer. */
async function ask(filter: object, answer: { status?: number; message: string }) {
  const { status = 200, message } = answer;
  const server = createServer(async (request, response) => {
    await text(request);
    response.writeHead(status).end(JSON.stringify({ id: 7, error: { code: -32_000, message } }));
  });
  const { url, close } = await listenLocally(server);
  cleanups.push(close);
  refuseLongBlocks();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params: [filter] });
  const response = await fetch(new Request(url, { method: 'POST', body }));
  return { status: response.status, body: await response.text() };
}

const block = { blockHash: `0x${'ab'.repeat(32)}` };
const refusal = expect.stringContaining('this block has more logs than the node gives at once');

test.each([
  'query returned more than 10000 results. Try with this block range [0x1, 0x1].',
  'Too many logs requested. Max logs per response is 20000.',
  'query exceeds max results 20000',
  'logs matched by query exceeds limit of 10000',
  'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range.',
  'response size should not greater than 10000000 bytes',
  'Response is too big',
  'backend response too large',
])('a block is too long for a node that says: %s', async (message) => {
  const single = { fromBlock: '0x5', toBlock: '0x5' };
  for (const filter of [block, single])
    for (const status of [200, 400])
      expect(await ask(filter, { status, message })).toEqual({ status: 404, body: refusal });
});

test.each([
  'no backend is currently healthy to serve traffic',
  'daily request count exceeded, request rate limited',
  'You have exceeded your requests limit',
  'Your app has exceeded its compute units per second capacity',
  'rate limit exceeded, too many requests',
  'request body too large',
  'upstream response time exceeded',
  'query timeout exceeded',
  'unknown block',
])('Ponder decides itself about a node that says: %s', async (message) => {
  const said = JSON.stringify({ id: 7, error: { code: -32_000, message } });
  expect(await ask(block, { message })).toEqual({ status: 200, body: said });
});

test('nor is a block too long because a range is, or the rate of requests', async () => {
  const message = 'query returned more than 10000 results';
  expect((await ask({ fromBlock: '0x5', toBlock: '0x6' }, { message })).status).toBe(200);
  expect((await ask(block, { status: 429, message })).status).toBe(429);
});
