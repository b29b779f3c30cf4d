import { afterEach, expect, test } from 'vitest';
import { startIndexer } from '../support/indexer.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createDisturbedNode } from '../support/relayNode.ts';
import { deploy } from './support/agreements.ts';
import { expectIndexEqualsChain } from './support/expectIndex.ts';
import { startTestChain } from './support/testChain.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

// Base's public endpoints answer so. Ponder takes it for a range that is too long.
const unwell = { code: -32_011, message: 'no backend is currently healthy to serve traffic' };
const unwellMs = 2_000;
/** After so many answers that it is unknown, Ponder gives a block up. */
const mostMisses = 3;

test('a new index is built although the node is unwell for a moment, and then in few requests again', async () => {
  const chain = await startTestChain(84532);
  cleanups.push(chain.stop);
  await deploy(chain);
  await chain.client.mine({ blocks: 1_000 });
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  let firstAt: number | undefined;
  const answered: number[] = [];
  const node = await createDisturbedNode(chain.rpcUrl, ({ method, params }) => {
    const { fromBlock, toBlock } = Object(params?.[0]);
    if (method !== 'eth_getLogs' || fromBlock === undefined) return undefined;
    firstAt ??= performance.now();
    if (performance.now() - firstAt < unwellMs) return { error: unwell };
    answered.push(Number(toBlock) - Number(fromBlock) + 1);
    return undefined;
  });
  cleanups.push(node.close);
  const { chainId } = chain;
  const indexer = await startIndexer({ databaseUrl: database.url, chains: [{ chainId, rpcUrl: node.url }] });
  cleanups.push(indexer.kill);
  await indexer.ready();
  await expectIndexEqualsChain(database.url, chain);
  // Ponder has halved its ranges down to single blocks, and lengthens them again.
  expect(Math.max(...answered)).toBeGreaterThan(20);
});

test('the newest block is indexed although the node lacked its logs at first, and no other block follows', async () => {
  const chain = await startTestChain(84532);
  cleanups.push(chain.stop);
  await deploy(chain);
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const asked = new Map<string, number>();
  let isDisturbed = false;
  const node = await createDisturbedNode(chain.rpcUrl, ({ method, params }) => {
    const { blockHash } = Object(params?.[0]);
    if (!isDisturbed || method !== 'eth_getLogs' || blockHash === undefined) return undefined;
    const times = (asked.get(blockHash) ?? 0) + 1;
    asked.set(blockHash, times);
    return times > mostMisses ? undefined : { error: { code: -32_000, message: 'unknown block' } };
  });
  cleanups.push(node.close);
  const { chainId } = chain;
  const indexer = await startIndexer({ databaseUrl: database.url, chains: [{ chainId, rpcUrl: node.url }] });
  cleanups.push(indexer.kill);
  await indexer.ready();
  isDisturbed = true;
  await deploy(chain);
  await expectIndexEqualsChain(database.url, chain);
});
