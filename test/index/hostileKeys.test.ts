import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildContent, creation, deploy } from './support/agreements.ts';
import { type IndexedChain, startIndexedChain } from './support/indexedChain.ts';

let index: IndexedChain;
beforeAll(async () => {
  index = await startIndexedChain();
});
afterAll(() => index?.close());

/** Deployments in one block, first with its number as their text, then with none; and an honest one in the next. */
async function sendHostileTexts(): Promise<void> {
  const { chain } = index;
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
  await index.reachHead();
  await index.expectEqual();
});

test('nor as it catches up after a pause', async () => {
  await index.duringPause(sendHostileTexts);
  await index.expectEqual();
});
