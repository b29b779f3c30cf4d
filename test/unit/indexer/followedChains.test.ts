import { createServer } from 'node:http';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { followChains } from '../../../src/indexer/runtime/followedChains.ts';
import { findChainDefaults } from '../../../src/platform/config/chainDefaults.ts';
import { findChain } from '../../../src/protocol/index.ts';
import { listenLocally } from '../../support/listenLocally.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const fetchUrl = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = fetchUrl;
});

const chainId = 84532;
const registered = findChainDefaults(chainId)?.startBlock ?? 0;
const remote = 'http://node.example/1';
const local = 'http://127.0.0.1:1/';

const requestShape = z.object({ id: z.number(), method: z.string() });

/** Answers for every node, which has this head and believes that it is complete. */
function answerWith(node: { head: number }) {
  globalThis.fetch = async (input, init) => {
    const { id, method } = requestShape.parse(await new Request(input, init).json());
    const toHex = (value: number) => `0x${value.toString(16)}`;
    const results: Record<string, unknown> = {
      eth_chainId: toHex(chainId),
      eth_blockNumber: toHex(node.head),
      eth_syncing: false,
    };
    return Response.json({ jsonrpc: '2.0', id, result: results[method] });
  };
}

function follow(rpcUrls: [string, ...string[]], startBlock?: number) {
  const { name = '', factory = '0x' } = findChain(chainId) ?? {};
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const chain = { chainId, name, factory, confirmations: 1, rpcUrls, startBlock };
  return { lines, following: followChains({ chains: [chain], rpcTimeoutMs: 1_000, logger }) };
}

test('a public chain is followed from its registered block; a node that ends before it is waited for', async () => {
  const node = { head: 0 };
  answerWith(node);
  const { lines, following } = follow([remote, local]);
  await waitUntil('it waits', () => lines.some((line) => line.includes('waiting for a node of this chain')));
  expect(lines.join()).toContain('START_BLOCK_84532');
  node.head = registered;
  expect((await following).readStartBlocks()).toEqual(new Map([[chainId, registered]]));
});

test('a local chain that ends before the registered block is followed from its beginning', async () => {
  answerWith({ head: 5 });
  const { following } = follow([local]);
  expect((await following).readStartBlocks()).toEqual(new Map([[chainId, 0]]));
});

test('a chain with a configured first block is followed from there, however short it is', async () => {
  answerWith({ head: 5 });
  const { following } = follow([remote], 3);
  expect((await following).readStartBlocks()).toEqual(new Map([[chainId, 3]]));
});

test('a chain is followed although one of its nodes begins an answer and never ends it', async () => {
  const server = createServer((_request, response) => void response.write('{"jsonrpc":'));
  const { url, close } = await listenLocally(server);
  answerWith({ head: registered });
  const answer = globalThis.fetch;
  globalThis.fetch = (input, init) => (String(input).startsWith(url) ? fetchUrl : answer)(input, init);
  const { following } = follow([url, remote]);
  expect((await following).readStartBlocks()).toEqual(new Map([[chainId, registered]]));
  await close();
});
