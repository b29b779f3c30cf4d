import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchUp, type Indexer, startIndexer, waitForHead } from '../support/indexer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { buildContent, creation, deploy } from './support/agreements.ts';
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

/** Deployments in one block, first with its number as their text, then with none; and an honest one in the next. */
async function sendHostileTexts(): Promise<void> {
  const number = String((await chain.client.getBlockNumber()) + 1n);
  const texts = [...Array<string>(6).fill(number), ...Array<string>(6).fill('not a number')];
  const receipts = await chain.sendInOneBlock(
    texts.map((docUri) => creation(chain, buildContent({ docUri }))),
  );
  expect(String(receipts[0]?.blockNumber)).toBe(number);
  await deploy(chain);
}

// A process knows of its keys only what it has learned from its first events.
test('texts of strangers that look like keys do not stop the index as it follows the chain', async () => {
  await sendHostileTexts();
  await waitForHead(database.url, chain.chainId, await chain.latestHash());
  await expectIndexEqualsChain(database.url, chain);
});

test('nor as it catches up after a pause', async () => {
  await indexer.stop();
  await sendHostileTexts();
  indexer = await startIndexer({ databaseUrl: database.url, chains: [chain] });
  await indexer.ready();
  await catchUp(database.url, [chain]);
  await expectIndexEqualsChain(database.url, chain);
});
