import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { askOnceForTransactions } from '../../../src/indexer/runtime/unchangedBlocks.ts';
import { listenLocally } from '../../support/listenLocally.ts';

const fetchUrl = globalThis.fetch;
const questionShape = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) });
const answerShape = z.object({ result: z.object({ hash: z.string(), transactions: z.array(z.unknown()) }) });

type Block = { hash: string; transactions: { hash: string; input: string }[] };

/** A node with two URLs: what it was asked for, and what it does when it answers. */
type Node = {
  urls: [string, string];
  asked: unknown[][];
  /** The current block, by the number of the question. */
  blockAt(question: number): Block;
  /** Answers the question instead. */
  fault(question: number): { status: number; body: string } | undefined;
};

let node: Node;
let close: () => Promise<void>;
beforeEach(async () => {
  const server = createServer(async (request, response) => {
    const { id, params } = questionShape.parse(JSON.parse(await text(request)));
    const question = node.asked.push(params);
    const fault = node.fault(question);
    if (fault) return void response.writeHead(fault.status).end(fault.body);
    const { hash, transactions } = node.blockAt(question);
    const shown = params[1] === true ? transactions : transactions.map((sent) => sent.hash);
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { hash, transactions: shown } }));
  });
  const listening = await listenLocally(server);
  close = listening.close;
  node = {
    urls: [new URL('/one', listening.url).href, new URL('/two', listening.url).href],
    asked: [],
    blockAt: () => blockOf('a'),
    fault: () => undefined,
  };
  askOnceForTransactions([{ rpcUrls: node.urls }]);
});
afterEach(async () => {
  globalThis.fetch = fetchUrl;
  await close();
});

const blockOf = (name: string): Block => ({
  hash: `0x${name}`,
  transactions: [{ hash: `0x${name}1`, input: '0xfeed' }],
});

/** Asks like Ponder: for the newest block, unless another one is named. */
function ask(url: string, params: readonly unknown[] = ['latest', true]): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params });
  return fetch(new Request(url, { method: 'POST', body }));
}

async function readBlock(url: string): Promise<z.infer<typeof answerShape>['result']> {
  const response = await ask(url);
  expect(response.status).toBe(200);
  return answerShape.parse(await response.json()).result;
}

const whole = ['latest', true];
const hashesOnly = ['latest', false];

test('a block is asked for with its transactions once, and given with them every time', async () => {
  const [one, two] = node.urls;
  for (const url of [one, one, two, one]) expect(await readBlock(url)).toEqual(blockOf('a'));
  expect(node.asked).toEqual([whole, hashesOnly, hashesOnly, hashesOnly]);
});

test('another block is asked for with its transactions, also one at the same height and one seen before', async () => {
  const [url] = node.urls;
  let name = 'a';
  node.blockAt = () => blockOf(name);
  for (name of ['a', 'b', 'b', 'a']) expect(await readBlock(url)).toEqual(blockOf(name));
  expect(node.asked).toEqual([whole, ...[hashesOnly, whole], hashesOnly, ...[hashesOnly, whole]]);
});

test('what arrives between the two questions is given, and kept under its own hash', async () => {
  const [url] = node.urls;
  await readBlock(url);
  // The second question of a poll finds a newer block than the first.
  node.blockAt = (question) => blockOf(question === 2 ? 'b' : 'c');
  expect(await readBlock(url)).toEqual(blockOf('c'));
  expect(await readBlock(url)).toEqual(blockOf('c'));
  node.blockAt = () => blockOf('b');
  expect(await readBlock(url)).toEqual(blockOf('b'));
  expect(node.asked).toEqual([whole, hashesOnly, whole, hashesOnly, hashesOnly, whole]);
});

const noBlock = '{"jsonrpc":"2.0","id":1,"result":null}';
const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"not ready"}}';

test.each([
  [503, 'busy'],
  [429, error],
  [200, error],
  [200, noBlock],
  [200, '<html>'],
])('an answer %i %s to either question is passed on, and no block is made up', async (status, body) => {
  const [url] = node.urls;
  node.fault = () => ({ status, body });
  const first = await ask(url);
  expect([first.status, await first.text()]).toEqual([status, body]);

  node.fault = () => undefined;
  expect(await readBlock(url)).toEqual(blockOf('a'));
  node.fault = () => ({ status, body });
  const again = await ask(url);
  expect([again.status, await again.text()]).toEqual([status, body]);

  // The block changes, and the question for its transactions fails.
  node.blockAt = () => blockOf('b');
  const asked = node.asked.length;
  node.fault = (question) => (question === asked + 2 ? { status, body } : undefined);
  const third = await ask(url);
  expect([third.status, await third.text()]).toEqual([status, body]);
  expect(await readBlock(url)).toEqual(blockOf('b'));
});

test('other questions, and those to other nodes, are passed on as they are', async () => {
  const [url] = node.urls;
  await readBlock(url);
  for (const params of [['0x1', true], hashesOnly]) await ask(url, params);
  const other = new URL('/three', url).href;
  for (let at = 0; at < 2; at++) await ask(other);
  expect(node.asked).toEqual([whole, ['0x1', true], hashesOnly, whole, whole]);
});

test('chains do not share a block', async () => {
  const [one, two] = node.urls;
  globalThis.fetch = fetchUrl;
  askOnceForTransactions([{ rpcUrls: [one] }, { rpcUrls: [two] }]);
  for (const url of [one, two]) expect(await readBlock(url)).toEqual(blockOf('a'));
  expect(node.asked).toEqual([whole, whole]);
});

test('who asked may give up', async () => {
  const [url] = node.urls;
  await readBlock(url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: whole });
  const signal = AbortSignal.abort(new Error('given up'));
  await expect(fetch(new Request(url, { method: 'POST', body }), { signal })).rejects.toThrow('given up');
  await expect(fetch(new Request(url, { method: 'POST', body, signal }))).rejects.toThrow('given up');
});
