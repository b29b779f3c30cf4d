import { afterEach, expect, test } from 'vitest';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import { deploy, submission } from '../index/support/agreements.ts';
import { expectIndexEqualsChain } from '../index/support/expectIndex.ts';
import { startTestChain } from '../index/support/testChain.ts';
import { createAnvilClient } from '../support/anvilClient.ts';
import { catchUp, startIndexer } from '../support/indexer.ts';
import { createLyingNode } from '../support/lyingNode.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Creates a database, and a chain with one agreement. */
async function startScene() {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const chain = await startTestChain(84532);
  cleanups.push(() => chain.stop());
  return { database, chain, agreement: await deploy(chain) };
}

test('a node that answers from two forks doubles no input: the indexer ends, and its next start matches the chain', async () => {
  const { database, chain, agreement } = await startScene();
  const { chainId, rpcUrl } = chain;
  const forkedAt = Number(await chain.client.getBlockNumber());
  const second = await startAnvil({ chainId, fork: { url: rpcUrl, blockNumber: forkedAt } });
  cleanups.push(() => second.stop());
  const node = await createLyingNode(rpcUrl, { second: second.rpcUrl });
  cleanups.push(() => node.close());
  const launch = async () => {
    const indexer = await startIndexer({
      databaseUrl: database.url,
      chains: [{ chainId, rpcUrl: node.url }],
    });
    cleanups.push(() => indexer.stop());
    return indexer;
  };

  const first = await launch();
  await first.ready();
  for (let sent = 0; sent < 2; sent++) {
    await chain.send(submission(agreement, 'toggle'));
    await catchUp(database.url, [chain]);
  }
  await createAnvilClient(second.rpcUrl).mine({ blocks: 2 });
  node.tell('twoForks');
  await waitUntil('a parent is unknown', () => node.countUnknown() > 0);
  node.tell(undefined);

  expect(await first.exited).toEqual({ code: 75, signal: null });
  expect(first.lines.filter((line) => line.includes('they are on different forks'))).toHaveLength(1);
  const next = await launch();
  await next.ready();
  await expectIndexEqualsChain(database.url, chain);
});

test('a node that is behind another one has the index take nothing back', async () => {
  const { database, chain, agreement } = await startScene();
  const { chainId, rpcUrl } = chain;
  await chain.client.mine({ blocks: 12 });
  const nodes = [await createLyingNode(rpcUrl), await createLyingNode(rpcUrl)];
  for (const node of nodes) cleanups.push(node.close);
  const chains = [{ chainId, rpcUrl: nodes.map(({ url }) => url).join(',') }];
  const indexer = await startIndexer({ databaseUrl: database.url, chains });
  cleanups.push(() => indexer.stop());
  await indexer.ready();
  await catchUp(database.url, [chain]);

  nodes[0]?.tell('behind');
  for (let sent = 0; sent < 12; sent++) {
    await chain.send(submission(agreement, 'toggle'));
    await catchUp(database.url, [chain]);
  }
  expect(indexer.lines.filter((line) => line.includes('Reorged block'))).toEqual([]);
  await expectIndexEqualsChain(database.url, chain);
});

test.each([
  ['answers in another order than it is asked', 'unordered'],
  ['answers from several nodes of which one is behind', 'balanced'],
] as const)('a single endpoint that %s has the index take nothing back', async (_, lie) => {
  const { database, chain, agreement } = await startScene();
  const { chainId, rpcUrl } = chain;
  await chain.client.mine({ blocks: 4 });
  const node = await createLyingNode(rpcUrl);
  cleanups.push(node.close);
  const chains = [{ chainId, rpcUrl: node.url }];
  const indexer = await startIndexer({ databaseUrl: database.url, chains });
  cleanups.push(() => indexer.stop());
  await indexer.ready();
  await catchUp(database.url, [chain]);

  node.tell(lie);
  for (let sent = 0; sent < 12; sent++) {
    await chain.send(submission(agreement, 'toggle'));
    await catchUp(database.url, [chain]);
  }
  expect(indexer.lines.filter((line) => line.includes('Reorged block'))).toEqual([]);
  await expectIndexEqualsChain(database.url, chain);
});

test('a chain that became shorter behind all of its nodes has the index take back what is gone', async () => {
  const { database, chain, agreement } = await startScene();
  const { chainId, rpcUrl, client } = chain;
  await client.mine({ blocks: 4 });
  const nodes = [await createLyingNode(rpcUrl), await createLyingNode(rpcUrl)];
  for (const node of nodes) cleanups.push(node.close);
  const chains = [{ chainId, rpcUrl: nodes.map(({ url }) => url).join(',') }];
  const indexer = await startIndexer({ databaseUrl: database.url, chains });
  cleanups.push(() => indexer.stop());
  await indexer.ready();
  await chain.send(submission(agreement, 'toggle'));
  await catchUp(database.url, [chain]);

  const snapshot = await client.snapshot();
  const highest = await client.getBlockNumber();
  for (let sent = 0; sent < 3; sent++) await chain.send(submission(agreement, 'toggle'));
  await catchUp(database.url, [chain]);
  await expectIndexEqualsChain(database.url, chain);
  await client.revert({ id: snapshot });
  expect(await client.getBlockNumber()).toBe(highest);
  await expectIndexEqualsChain(database.url, chain);

  await chain.send(submission(agreement, 'toggle'));
  await expectIndexEqualsChain(database.url, chain);
  expect(indexer.lines.filter((line) => line.includes('Reorged block')).length).toBeGreaterThan(0);
});
