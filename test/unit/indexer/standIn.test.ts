import { afterEach, expect, test } from 'vitest';
import { standIn } from '../../../src/indexer/runtime/standIn.ts';

const fetchBefore = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = fetchBefore;
});

const place = { chainId: 84532, number: 500, timestamp: 1_700_000_000 };

/** Sends a request like Ponder. */
async function ask(method: string, params: unknown[]): Promise<{ result?: unknown; error?: unknown }> {
  const env: NodeJS.ProcessEnv = {};
  standIn([place], env);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
  const response = await fetch(new Request(env.RPC_URL_84532 ?? '', { method: 'POST', body }));
  return Object(await response.json());
}

test('on a chain that stands still, the last block is final at the start and no news afterwards', async () => {
  const final = await ask('eth_getBlockByNumber', ['0x1f4', false]);
  expect(final.result).toMatchObject({ number: '0x1f4', timestamp: '0x6553f100' });
  expect((await ask('eth_getBlockByNumber', ['latest', false])).result).toMatchObject({ number: '0x212' });
  expect((await ask('eth_getBlockByNumber', ['latest', true])).result).toEqual(final.result);
});

test('on a chain that stands still, only the first block, which has no transactions, is said to have no logs', async () => {
  expect(await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x0' }])).toMatchObject({ result: [] });
  for (const range of [
    { fromBlock: '0x0', toBlock: '0x1' },
    { fromBlock: '0x1f4', toBlock: '0x1f4' },
    { blockHash: '0x00' },
  ])
    expect(await ask('eth_getLogs', [range])).toMatchObject({ error: { code: -32_601 } });
});
