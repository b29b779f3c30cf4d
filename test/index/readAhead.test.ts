import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploy, permittedSubmission } from './support/agreements.ts';
import { type IndexedChain, startIndexedChain } from './support/indexedChain.ts';

let index: IndexedChain;
beforeAll(async () => {
  index = await startIndexedChain();
});
afterAll(() => index?.close());

/** The keys of a table that Ponder has read one by one, and those that it has read beforehand. */
async function countReads(table: string): Promise<{ single: number; beforehand: number }> {
  const text = await (await fetch(`${index.url()}/metrics`)).text();
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
  const { chain } = index;
  const calls = [];
  for (let made = 0; made < count; made++) {
    const agreement = await deploy(chain);
    calls.push(await permittedSubmission(chain, { agreement, name: 'note', nonce: 0n }));
  }
  await index.reachHead();
  await chain.sendInOneBlock(calls);
  await index.reachHead();
}

test('an index without a past reads the permits that a block counts in one statement', async () => {
  await submitInNewAgreements(3);
  const before = await countReads('permit_counts');
  await submitInNewAgreements(20);
  const after = await countReads('permit_counts');
  expect(after.single - before.single).toBe(0);
  expect(after.beforehand - before.beforehand).toBe(20);
  await index.expectEqual();
});
