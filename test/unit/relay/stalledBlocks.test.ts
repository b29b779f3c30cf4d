import type { Address } from 'viem';
import { expect, test } from 'vitest';
import { createWallet, observeFront, stalledBlocks } from '../../../src/worker/relay/wallet.ts';

const address: Address = '0x00000000000000000000000000000000000000aa';
type Look = readonly [blockNumber: bigint, nonce?: number, hash?: `0x${string}`];

/** The number of stalled blocks at the last of these looks, for that look's next nonce. */
function countAfter(...looks: readonly Look[]): number {
  const wallet = createWallet(address, undefined);
  let count = 0;
  for (const [blockNumber, nonce = 5, hash = '0xaa'] of looks) {
    observeFront(wallet, { nonce, hash, blockNumber });
    count = stalledBlocks(wallet, { nonce, blockNumber });
  }
  return count;
}

test.each<[string, Look[], number]>([
  ['from the first look on', [[100n]], 0],
  ['every block, also those between two looks', [[100n], [101n], [107n]], 7],
  ['no time', [[100n], [100n], [100n]], 0],
  ['from the look that finds other bytes', [[100n], [105n, 5, '0xbb'], [106n, 5, '0xbb']], 1],
  ['from the look that finds another nonce to come next', [[100n], [105n, 6], [106n, 6]], 1],
  ['anew where a nonce comes next again', [[100n], [105n, 6], [107n, 5], [108n, 5]], 1],
  ['less where a reorg takes some back', [[100n], [103n], [101n]], 1],
  ['from where the chain went back to, if that is before the first look', [[100n], [103n], [90n], [92n]], 2],
])('blocks that leave out what comes next: counts %s', (_, looks, count) => {
  expect(countAfter(...looks)).toBe(count);
});

test('what somebody else has there is left out of blocks too', () => {
  const wallet = createWallet(address, undefined);
  for (const blockNumber of [100n, 102n]) observeFront(wallet, { nonce: 5, hash: undefined, blockNumber });
  expect(stalledBlocks(wallet, { nonce: 5, blockNumber: 102n })).toBe(2);
});

test('what does not come next is left out of no block', () => {
  const wallet = createWallet(address, undefined);
  expect(stalledBlocks(wallet, { nonce: 5, blockNumber: 100n })).toBe(0);
  observeFront(wallet, { nonce: 5, hash: '0xaa', blockNumber: 100n });
  expect(stalledBlocks(wallet, { nonce: 6, blockNumber: 110n })).toBe(0);
});
