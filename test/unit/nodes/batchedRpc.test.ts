import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { HttpRequestError, RpcRequestError, TimeoutError } from 'viem';
import { afterEach, expect, test } from 'vitest';
import { createBatchedRpc } from '../../../src/platform/nodes/batchedRpc.ts';
import { createEndpointHealth } from '../../../src/platform/nodes/endpointHealth.ts';

type Call = { id: number; method: string };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A node with the given answers to batches; it keeps the requests. */
async function startNode(answer: (calls: Call[]) => unknown) {
  const asked: { calls: Call[]; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const calls: Call[] = JSON.parse(body);
    asked.push({ calls, headers: request.headers });
    const said = answer(calls);
    if (said === undefined) return;
    const text = typeof said === 'string' ? said : JSON.stringify(said);
    response.setHeader('content-type', 'application/json').end(text);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return { host: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, asked };
}

function connect(url: string, timeoutMs = 60_000) {
  const health = createEndpointHealth();
  return { ask: createBatchedRpc({ url, timeoutMs, health }), health };
}

const echo = (calls: Call[]) => calls.map(({ id, method }) => ({ id, result: method }));

test('calls of one moment go out together, never more than twenty, and each gets its own answer', async () => {
  const node = await startNode((calls) => echo(calls).toReversed());
  const { ask, health } = connect(`http://${node.host}`);
  const methods = Array.from({ length: 45 }, (_, at) => `method_${at}`);
  expect(await Promise.all(methods.map((method) => ask({ method })))).toEqual(methods);
  expect(node.asked.map(({ calls }) => calls.length).toSorted()).toEqual([20, 20, 5]);
  expect(health.counts()).toMatchObject({ answered: 3, failed: 0, limited: 0 });
});

test('calls that are long together go out apart, so that nodes read each request', async () => {
  const node = await startNode(echo);
  const { ask } = connect(`http://${node.host}`);
  const lengths = [600_000, 10, 300_000, 200_000, 100_000, 600_000, 10];
  const methods = lengths.map((_, at) => `method_${at}`);
  const answers = lengths.map((length, at) =>
    ask({ method: `method_${at}`, params: [`0x${'0'.repeat(length)}`] }),
  );
  expect(await Promise.all(answers)).toEqual(methods);
  const asked = node.asked.map(({ calls }) => calls.map(({ method }) => methods.indexOf(method)));
  expect(asked.toSorted()).toEqual([[0], [1, 2, 3], [4], [5], [6]]);
});

test('whole blocks are asked for alone, so that several of one moment are not together more than is read', async () => {
  const node = await startNode((calls) => calls.map(({ id }) => ({ id, result: 'x'.repeat(4_000_000) })));
  const { ask } = connect(`http://${node.host}`);
  const methods = ['eth_getBlockByHash', 'eth_getBlockReceipts', 'eth_getBlockReceipts'];
  const answers = await Promise.all(methods.map((method) => ask({ method })));
  expect(answers.map((answer) => String(answer).length)).toEqual([4_000_000, 4_000_000, 4_000_000]);
  expect(node.asked.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
});

test('a call that is refused or left out fails alone', async () => {
  const node = await startNode((calls) => [
    { id: calls[0]?.id, result: '0x1' },
    { id: calls[1]?.id, error: { code: 3, message: 'execution reverted', data: '0xab' } },
  ]);
  const { ask } = connect(`http://${node.host}`);
  const [answered, refused, leftOut] = await Promise.allSettled(
    ['one', 'two', 'three'].map((method) => ask({ method })),
  );
  expect(answered).toEqual({ status: 'fulfilled', value: '0x1' });
  expect(refused).toMatchObject({ reason: { code: 3, data: '0xab', details: 'execution reverted' } });
  expect(refused).toMatchObject({ reason: expect.any(RpcRequestError) });
  expect(leftOut).toMatchObject({ reason: expect.any(HttpRequestError) });
});

test("a node's answer to a whole batch applies to each call in it", async () => {
  const node = await startNode(() => ({ id: null, error: { code: -32_005, message: 'limit exceeded' } }));
  const { ask } = connect(`http://${node.host}`);
  const answers = await Promise.allSettled([ask({ method: 'one' }), ask({ method: 'two' })]);
  for (const answer of answers)
    expect(answer).toMatchObject({ reason: { code: -32_005, details: 'limit exceeded' } });
});

test('a node that says nothing in time has not answered', async () => {
  const silent = await startNode(() => undefined);
  const { ask, health } = connect(`http://${silent.host}`, 100);
  await expect(ask({ method: 'one' })).rejects.toThrow(TimeoutError);
  expect(health.counts()).toMatchObject({ answered: 0, failed: 1 });
});

test.each([
  ['a page', '<html>Sign in</html>'],
  ['a text', '"hello"'],
  ['nothing', ''],
  ['an empty object', {}],
  ['no answers', []],
  ['answers without a result', [{ id: 0 }]],
  ['something else', [{ id: 'one', result: 1 }]],
])('a node that says %s has not answered, however well its request went', async (_, said) => {
  const node = await startNode(() => said);
  const { ask, health } = connect(`http://${node.host}`);
  await expect(ask({ method: 'one' })).rejects.toThrow(HttpRequestError);
  expect(health.counts()).toMatchObject({ answered: 0, failed: 1 });
});

test('user and password of a URL are sent as a header', async () => {
  const node = await startNode(echo);
  expect(await connect(`http://us%40er:pass@${node.host}`).ask({ method: 'one' })).toBe('one');
  const expected = `Basic ${Buffer.from('us@er:pass').toString('base64')}`;
  expect(node.asked[0]?.headers.authorization).toBe(expected);
});

test('a receipt that is too long is no failure of the endpoint, and spoils no other answer of its request', async () => {
  const long = 'x'.repeat(11 * 1024 * 1024);
  const node = await startNode((calls) =>
    calls.map(({ id, method }) => ({ id, result: method === 'eth_getTransactionReceipt' ? long : method })),
  );
  const { ask, health } = connect(`http://${node.host}`);
  const asked = [ask({ method: 'eth_chainId' }), ask({ method: 'eth_getTransactionReceipt' })];
  const [other, receipt] = await Promise.allSettled([...asked, ask({ method: 'eth_blockNumber' })]);
  expect(other).toEqual({ status: 'fulfilled', value: 'eth_chainId' });
  expect(receipt).toMatchObject({ status: 'rejected', reason: { name: 'AnswerTooLongError' } });
  expect(health.counts()).toMatchObject({ failed: 0, limited: 0 });
});
