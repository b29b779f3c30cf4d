import { afterEach, expect, test } from 'vitest';
import { catchUp, startIndexer } from '../support/indexer.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createDisturbedNode } from '../support/relayNode.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { deploy, submission } from './support/agreements.ts';
import { expectIndexEqualsChain } from './support/expectIndex.ts';
import { startTestChain } from './support/testChain.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

test('a block that is replaced before its logs are read is soon given up, and the index goes on with the chain', async () => {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const chain = await startTestChain(84532);
  cleanups.push(() => chain.stop());
  const agreement = await deploy(chain);
  let isHidden = false;
  const asked: string[] = [];
  const node = await createDisturbedNode(chain.rpcUrl, ({ method, params }) => {
    // Some calls have no parameters.
    const { blockHash } = Object(params?.[0]);
    if (method !== 'eth_getLogs' || blockHash === undefined) return undefined;
    if (isHidden || asked.includes(blockHash)) asked.push(blockHash);
    if (!isHidden) return undefined;
    return { error: { code: -32_000, message: 'unknown block' } };
  });
  cleanups.push(() => node.close());
  const { chainId } = chain;
  const indexer = await startIndexer({ databaseUrl: database.url, chains: [{ chainId, rpcUrl: node.url }] });
  cleanups.push(() => indexer.stop());
  await indexer.ready();
  await catchUp(database.url, [chain]);

  isHidden = true;
  await chain.send(submission(agreement, 'toggle'));
  await waitUntil('its logs are asked for', () => asked.length > 0);
  const [vanished] = asked;
  await chain.dropBlocks(1);
  // While the block was there, it was asked for as often as the chain took to drop it.
  const before = asked.length;
  isHidden = false;
  await chain.send(submission(agreement, 'toggle'));
  await expectIndexEqualsChain(database.url, chain);
  expect(asked.slice(before).filter((hash) => hash === vanished).length).toBeLessThanOrEqual(3);
});
