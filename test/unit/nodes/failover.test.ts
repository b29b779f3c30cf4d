import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { createChainAccess } from '../../../src/platform/nodes/clients.ts';
import { type LocalServer, listenLocally } from '../../support/listenLocally.ts';

type Call = { id: number; method: string };

const chainId = 84_532;
const hash = `0x${'ab'.repeat(32)}` as const;
const long = 'x'.repeat(11 * 1024 * 1024);
const receiptMethod = 'eth_getTransactionReceipt';

const servers: LocalServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ close }) => close()));
});

/** A node that answers its chain, and anything else with `result`. It keeps the methods of each request. */
async function startNode(result: unknown) {
  const asked: string[][] = [];
  const server = createServer(async (request, response) => {
    const calls: Call[] = JSON.parse(await text(request));
    asked.push(calls.map(({ method }) => method));
    const said = calls.map(({ id, method }) => {
      const own = method === 'eth_chainId' ? `0x${chainId.toString(16)}` : result;
      return { jsonrpc: '2.0', id, ...(own instanceof Error ? { error: own } : { result: own }) };
    });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(said));
  });
  const local = await listenLocally(server);
  servers.push(local);
  return { url: local.url, asked };
}

function connect(first: { url: string }, ...others: { url: string }[]) {
  const rpcUrls: [string, ...string[]] = [first.url, ...others.map(({ url }) => url)];
  const chain = { chainId, name: 'test', rpcUrls };
  const access = createChainAccess([chain], { rpcTimeoutMs: 20_000 });
  const ask = (method: string): Promise<unknown> => {
    const request: { method: string; params: unknown[] } = { method, params: [hash] };
    return access.clients.get(chainId)?.transport.request(request) ?? Promise.reject(new Error('no client'));
  };
  return { ask, statuses: () => access.describe().map(({ status }) => status), describe: access.describe };
}

test.each([receiptMethod, 'eth_getBlockReceipts'])(
  'an answer to %s that is too long is replaced by a shorter one of another node, and then a failure of the first node',
  async (method) => {
    const [liar, honest] = [await startNode(long), await startNode('short')];
    const { ask, describe } = connect(liar, honest);
    for (let time = 0; time < 3; time++) expect(await ask(method)).toBe('short');
    expect(describe().map(({ requests }) => requests.failed)).toEqual([3, 0]);
  },
);

test('a receipt that is too long at every node is no failure of any', async () => {
  const nodes = [await startNode(long), await startNode(long)] as const;
  const { ask, describe } = connect(...nodes);
  for (let time = 0; time < 4; time++)
    await expect(ask(receiptMethod)).rejects.toMatchObject({ name: 'AnswerTooLongError' });
  for (const { asked } of nodes)
    expect(asked.filter((methods) => String(methods) === receiptMethod)).toHaveLength(4);
  for (const { status, requests } of describe()) {
    expect(status).toBe('ok');
    expect(requests).toMatchObject({ failed: 0, limited: 0 });
  }
});

test('a receipt that is too long is no failure of its node if the other node does not have it', async () => {
  const { ask, describe } = connect(await startNode(long), await startNode(null));
  for (let time = 0; time < 4; time++) expect(await ask(receiptMethod)).toBeNull();
  for (const { status, requests } of describe()) {
    expect(status).toBe('ok');
    expect(requests).toMatchObject({ failed: 0 });
  }
});

test.each(['eth_getBlockByHash', 'eth_getBlockReceipts'])(
  'an answer to %s that is too long at one node is too long, although the other node lacks the block',
  async (method) => {
    const { ask, describe } = connect(await startNode(long), await startNode(null));
    for (let time = 0; time < 2; time++)
      await expect(ask(method)).rejects.toMatchObject({ name: 'AnswerTooLongError' });
    expect(describe().map(({ requests }) => requests.failed)).toEqual([0, 0]);
  },
);

test('a block that is too long at one node is too long, although other nodes refuse it', async () => {
  const refusal = Object.assign(new Error('refused'), { code: -32_000 });
  const { ask, statuses } = connect(
    await startNode(refusal),
    await startNode(long),
    await startNode(refusal),
  );
  await expect(ask('eth_getBlockReceipts')).rejects.toMatchObject({ name: 'AnswerTooLongError' });
  expect(statuses()).toEqual(['ok', 'ok', 'ok']);
});

test('a request whose answer is too long is made once more for each call alone, and never again', async () => {
  const node = await startNode(long);
  const { ask } = connect(node);
  const answers = await Promise.allSettled(Array.from({ length: 4 }, () => ask(receiptMethod)));
  for (const answer of answers) expect(answer).toMatchObject({ reason: { name: 'AnswerTooLongError' } });
  expect(node.asked.map((methods) => methods.length)).toEqual([5, 1, 1, 1, 1, 1]);
});
