import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { refuseLogsOfMissingBlocks } from '../../../src/indexer/runtime/missingBlocks.ts';
import { listenLocally } from '../../support/listenLocally.ts';

const fetchUrl = globalThis.fetch;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  globalThis.fetch = fetchUrl;
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

type Call = { id: number; method: string; params: [string | object] };

const logs = [{ logIndex: '0x0' }];

/** A node that has the blocks up to its head. */
async function startNode(conduct: {
  head: number;
  batches?: boolean;
  status?: number;
  error?: object;
  write?: (answers: readonly object[]) => string;
}) {
  const { head, batches = true, status = 200, error, write = JSON.stringify } = conduct;
  const asked: string[][] = [];
  const answer = ({ id, method, params: [first] }: Call) => {
    if (method === 'eth_getBlockByNumber')
      return { id, result: Number(first) > head ? null : { number: first } };
    return { id, ...(error ? { error } : { result: logs }) };
  };
  const server = createServer(async (request, response) => {
    const body: Call | Call[] = JSON.parse(await text(request));
    const calls = Array.isArray(body) ? body : [body];
    asked.push(calls.map(({ method }) => method));
    if (status !== 200) return void response.writeHead(status).end();
    if (Array.isArray(body) && !batches) return void response.writeHead(400).end('no batches');
    const answers = calls.map(answer);
    response.end(Array.isArray(body) ? write(answers) : JSON.stringify(answers[0]));
  });
  const { url, close } = await listenLocally(server);
  cleanups.push(close);
  return { url, asked };
}

/** Requests logs like Ponder. */
async function ask(url: string, filter: object) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params: [filter] });
  const response = await fetch(new Request(url, { method: 'POST', body }));
  return { status: response.status, body: await response.json().catch(() => undefined) };
}

const range = { fromBlock: '0x1', toBlock: '0x9' };
const both = ['eth_getBlockByNumber', 'eth_getLogs'];

test('a node that has the whole range answers, in one request', async () => {
  const node = await startNode({ head: 9 });
  refuseLogsOfMissingBlocks();
  expect(await ask(node.url, range)).toEqual({ status: 200, body: { id: 7, result: logs } });
  expect(node.asked).toEqual([both]);
});

const idLast = ({ id, ...content }: { id?: unknown }) => ({ ...content, id });

test.each<[string, (answers: readonly object[]) => string]>([
  ['in the other order', (answers) => JSON.stringify(answers.toReversed())],
  ['with spaces', (answers) => `\n${JSON.stringify(answers, null, 2)}\n`],
  ['with the ids last', (answers) => JSON.stringify(answers.map(idLast))],
  [
    'with ids in the middle',
    (answers) =>
      JSON.stringify(answers.map((answer) => ({ a: 'a'.repeat(50), ...answer, z: 'z'.repeat(50) }))),
  ],
])('the answers may come %s', async (_form, write) => {
  const node = await startNode({ head: 9, write });
  refuseLogsOfMissingBlocks();
  expect(await ask(node.url, range)).toMatchObject({ status: 200, body: { id: 7, result: logs } });
  const behind = await startNode({ head: 8, write });
  expect((await ask(behind.url, range)).status).toBe(429);
  expect([node.asked, behind.asked]).toEqual([[both], [both]]);
});

test.each<[string, (answers: readonly object[]) => string]>([
  ['the block only', ([block]) => JSON.stringify([block])],
  ['the logs of another question', ([block]) => JSON.stringify([block, { id: 17, result: logs }])],
  ['half of the text', (answers) => JSON.stringify(answers).slice(0, -3)],
  ['no text', () => ''],
])('an answer of %s is not taken for the logs', async (_form, write) => {
  const node = await startNode({ head: 9, write });
  refuseLogsOfMissingBlocks();
  expect((await ask(node.url, range)).status).toBe(429);
});

test.each([true, false])('a node that lacks the last block is passed over (batches: %s)', async (batches) => {
  const node = await startNode({ head: 8, batches });
  refuseLogsOfMissingBlocks();
  expect((await ask(node.url, range)).status).toBe(429);
});

test('a node that takes no batches is asked for the block first, and soon without trying', async () => {
  const node = await startNode({ head: 9, batches: false });
  refuseLogsOfMissingBlocks();
  for (let at = 0; at < 2; at++)
    expect(await ask(node.url, range)).toEqual({ status: 200, body: { id: 7, result: logs } });
  const inTurn = both.map((method) => [method]);
  expect(node.asked).toEqual([both, ...inTurn, ...inTurn]);
});

test('a node whose answers cannot be read is passed over, then asked in turn, and in batches again each time', async () => {
  const node = await startNode({ head: 9, status: 502 });
  refuseLogsOfMissingBlocks();
  for (let at = 0; at < 4; at++) expect((await ask(node.url, range)).status).toBe(429);
  const block = ['eth_getBlockByNumber'];
  expect(node.asked).toEqual([both, both, both, block, both, block]);
});

test('the error of a range that is too large reaches Ponder', async () => {
  const error = { code: -32_005, message: 'query returned more than 10000 results' };
  const node = await startNode({ head: 9, error });
  refuseLogsOfMissingBlocks();
  expect(await ask(node.url, range)).toEqual({ status: 200, body: { id: 7, error } });
});

test('a node that limits is not asked again at once', async () => {
  const node = await startNode({ head: 9, status: 429 });
  refuseLogsOfMissingBlocks();
  expect((await ask(node.url, range)).status).toBe(429);
  expect(node.asked).toEqual([both]);
});

test('logs of a block by its hash are asked for alone', async () => {
  const node = await startNode({ head: 0 });
  refuseLogsOfMissingBlocks();
  expect(await ask(node.url, { blockHash: '0x12' })).toEqual({ status: 200, body: { id: 7, result: logs } });
  expect(node.asked).toEqual([['eth_getLogs']]);
});
