import { afterEach, expect, test } from 'vitest';
import { startIndexer } from '../support/indexer.ts';
import { createLyingNode } from '../support/lyingNode.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { deploy, submission } from './support/agreements.ts';
import { expectIndexEqualsChain } from './support/expectIndex.ts';
import { startTestChain } from './support/testChain.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

test('a node that lacks the last blocks of the past takes no input out of a new index', async () => {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const chain = await startTestChain(84532);
  cleanups.push(() => chain.stop());
  const { chainId, rpcUrl, client } = chain;
  const agreement = await deploy(chain);
  for (let sent = 0; sent < 5; sent++) await chain.send(submission(agreement, 'toggle'));
  // The past ends thirty blocks before the newest one. That node ends at the deployment.
  await client.mine({ blocks: 35 });
  const node = await createLyingNode(rpcUrl);
  cleanups.push(node.close);
  node.tell('shortLogs');
  const indexer = await startIndexer({ databaseUrl: database.url, chains: [{ chainId, rpcUrl: node.url }] });
  cleanups.push(() => indexer.stop());
  await waitUntil('logs are missing', () => node.countShort() > 1);
  node.tell(undefined);
  await indexer.ready();
  await expectIndexEqualsChain(database.url, chain);
  expect(await client.getBlockNumber()).toBeGreaterThan(40n);
});
