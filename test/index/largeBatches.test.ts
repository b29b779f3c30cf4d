import { afterEach, expect, test } from 'vitest';
import { encodeDataFields } from '../../src/protocol/index.ts';
import { startIndexer } from '../support/indexer.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { deploy, submission, textField } from './support/agreements.ts';
import { expectIndexEqualsChain } from './support/expectIndex.ts';
import { startTestChain } from './support/testChain.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

test('large inputs of the past, which are written in portions, are in the index as they are on the chain', async () => {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const chain = await startTestChain(84532);
  cleanups.push(() => chain.stop());
  const { chainId, rpcUrl, client } = chain;
  const agreement = await deploy(chain);
  const sizes = Array.from({ length: 40 }, (_, at) => (at % 4) * 20_000);
  for (const size of sizes) {
    const payload = encodeDataFields([textField('remark', `\\t\n${'x'.repeat(size)}`)]);
    await chain.send(submission(agreement, 'toggle', payload));
  }
  await client.mine({ blocks: 40 });
  const indexer = await startIndexer({ databaseUrl: database.url, chains: [{ chainId, rpcUrl }] });
  cleanups.push(() => indexer.stop());
  await indexer.ready();
  await expectIndexEqualsChain(database.url, chain);
  expect(sizes.reduce((sum, size) => sum + 2 * size)).toBeGreaterThan(2 * 1_048_576);
});
