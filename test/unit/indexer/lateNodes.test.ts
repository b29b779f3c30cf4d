import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { passOverLateNodes } from '../../../src/indexer/runtime/lateNodes.ts';
import { listenLocally } from '../../support/listenLocally.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const logger = pino({ level: 'silent' });
const answerShape = z.object({ result: z.object({ number: z.string().transform(Number) }) });
const fetchUrl = globalThis.fetch;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  globalThis.fetch = fetchUrl;
  vi.useRealTimers();
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

type Conduct = 'answers' | 'is silent' | 'refuses' | 'forbids' | 'reports an error' | 'knows no block';

const failures = [
  'is silent',
  'refuses',
  'forbids',
  'reports an error',
  'knows no block',
] as const satisfies Conduct[];

/** A node with one current block. It may go silent or fail in another way. */
async function startNode(number: number) {
  const node = { number, conduct: 'answers' as Conduct };
  const unanswered = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(await text(request));
    if (node.conduct === 'is silent') return void unanswered.add(response);
    if (node.conduct === 'refuses') return void response.writeHead(503).end();
    if (node.conduct === 'forbids') return void response.writeHead(403).end();
    const error = { code: -32_000, message: 'the node is not ready' };
    if (node.conduct === 'reports an error')
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    if (node.conduct === 'knows no block')
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: null }));
    const hex = `0x${node.number.toString(16)}`;
    const result = method === 'eth_blockNumber' ? hex : { number: hex };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  const { url, close } = await listenLocally(server);
  cleanups.push(close);
  cleanups.push(async () => {
    for (const response of unanswered) response.destroy();
  });
  return Object.assign(node, { url: new URL(url).href });
}

/** Requests the newest block like Ponder. Returns its number, or the status of a refusal. */
async function poll(url: string): Promise<number> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getBlockByNumber',
    params: ['latest', true],
  });
  const response = await fetch(new Request(url, { method: 'POST', body }));
  return response.ok ? answerShape.parse(await response.json()).result.number : response.status;
}

test.each(failures)(
  'while the only node of a chain %s, Ponder hears of the last newest block, and of the next one as soon as the node answers',
  async (conduct) => {
    const node = await startNode(7);
    passOverLateNodes([{ name: 'Base Sepolia', rpcUrls: [node.url] }], logger);
    expect(await poll(node.url)).toBe(7);

    Object.assign(node, { conduct, number: 8 });
    // As many requests as Ponder may have waiting: all are answered.
    expect(new Set(await Promise.all(Array.from({ length: 30 }, () => poll(node.url))))).toEqual(
      new Set([7]),
    );

    node.conduct = 'answers';
    expect(await poll(node.url)).toBe(8);
  },
);

test.each(failures)('a node that %s is passed over if another one answers', async (conduct) => {
  const nodes = [await startNode(7), await startNode(7)] as const;
  passOverLateNodes([{ name: 'Base Sepolia', rpcUrls: [nodes[0].url, nodes[1].url] }], logger);
  expect(await poll(nodes[0].url)).toBe(7);

  nodes[0].conduct = conduct;
  expect(await poll(nodes[0].url)).toBe(429);
  nodes[1].number = 8;
  expect(await poll(nodes[1].url)).toBe(8);
});

test('a node that has not answered yet is waited for, and no block is made up', async () => {
  const node = await startNode(7);
  node.conduct = 'refuses';
  passOverLateNodes([{ name: 'Base Sepolia', rpcUrls: [node.url] }], logger);
  expect(await poll(node.url)).toBe(503);
  node.conduct = 'answers';
  await waitUntil('it answers', async () => (await poll(node.url)) === 7);
});

test('silence is logged once, where it lasts, and so is its end', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: string[] = [];
  const node = await startNode(7);
  const write = (line: string) => void lines.push(JSON.parse(line).msg);
  passOverLateNodes([{ name: 'Base Sepolia', rpcUrls: [node.url] }], pino({}, { write }));
  const pollAfter = async (ms: number, conduct: Conduct) => {
    vi.advanceTimersByTime(ms);
    node.conduct = conduct;
    await poll(node.url);
  };
  for (const conduct of ['answers', 'refuses', 'refuses', 'answers'] as const)
    await pollAfter(3_000, conduct);
  expect(lines).toEqual([]);
  for (let at = 0; at < 4; at++) await pollAfter(3_000, 'refuses');
  expect(lines).toEqual(['no node of this chain answers; its index waits']);
  await pollAfter(3_000, 'answers');
  expect(lines.slice(1)).toEqual(['a node of this chain answers again']);
});
