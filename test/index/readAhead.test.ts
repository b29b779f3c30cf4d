import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchUp, type Indexer, startIndexer, waitForHead } from '../support/indexer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { deploy, permittedSubmission } from './support/agreements.ts';
import { expectIndexEqualsChain } from './support/expectIndex.ts';
import { startTestChain, type TestChain } from './support/testChain.ts';

let database: TestDatabase;
let chain: TestChain;
let indexer: Indexer;

beforeAll(async () => {
  database = await createTestDatabase();
  chain = await startTestChain(84532);
  indexer = await startIndexer({ databaseUrl: database.url, chains: [chain] });
  await indexer.ready();
  await catchUp(database.url, [chain]);
});

afterAll(async () => {
  await indexer?.stop();
  await chain?.stop();
  await database?.drop();
});

/** The keys of a table that Ponder has read one by one, and those that it has read beforehand. */
async function countReads(table: string): Promise<{ single: number; beforehand: number }> {
  const text = await (await fetch(`${indexer.url}/metrics`)).text();
  const read = (type: string) => {
    const [, value] =
      new RegExp(
        `^ponder_indexing_cache_requests_total\\{table="${table}",type="${type}"\\} (\\d+)$`,
        'm',
      ).exec(text) ?? [];
    return Number(value ?? 0);
  };
  return { single: read('miss'), beforehand: read('prefetch') };
}

/** One input of the same signer in each of new agreements, in one block. */
async function submitInNewAgreements(count: number): Promise<void> {
  const calls = [];
  for (let made = 0; made < count; made++) {
    const agreement = await deploy(chain);
    calls.push(await permittedSubmission(chain, { agreement, name: 'note', nonce: 0n }));
  }
  await waitForHead(database.url, chain.chainId, await chain.latestHash());
  await chain.sendInOneBlock(calls);
  await waitForHead(database.url, chain.chainId, await chain.latestHash());
}

test('an index without a past reads the permits that a block counts in one statement', async () => {
  await submitInNewAgreements(3);
  const before = await countReads('permit_counts');
  await submitInNewAgreements(20);
  const after = await countReads('permit_counts');
  expect(after.single - before.single).toBe(0);
  expect(after.beforehand - before.beforehand).toBe(20);
  await expectIndexEqualsChain(database.url, chain);
});
