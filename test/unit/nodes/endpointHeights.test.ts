import { expect, test } from 'vitest';
import { createEndpointHeights } from '../../../src/platform/nodes/endpointHeights.ts';

const intervalMs = 2_000;
const headAt = (number: number) => ({ number, timestamp: BigInt(number), parentHash: '0x' });

function createTwo() {
  const [one, other] = createEndpointHeights(2, intervalMs);
  if (!one || !other) throw new Error('there are two endpoints');
  const note = (endpoint: typeof one, number: number, atMs: number) =>
    endpoint.note(headAt(number), { atMs, isProven: true });
  return { one, other, note };
}

test('a node lags if it lacks the block that another had one poll earlier, until it has it', () => {
  const { one, other, note } = createTwo();
  note(one, 100, 0);
  note(other, 100, 0);
  note(other, 105, 2_000);
  note(one, 102, 2_100);
  expect([one.isLagging(), one.behindBlocks()]).toEqual([false, 0]);
  note(one, 104, 4_000);
  expect([one.isLagging(), one.behindBlocks()]).toEqual([true, 1]);
  expect(other.isLagging()).toBe(false);
  note(one, 105, 4_100);
  expect([one.isLagging(), one.behindBlocks()]).toEqual([false, 0]);
});

test('a head is to be proven if it makes others late or is the first one', () => {
  const { one, other, note } = createTwo();
  expect(one.needsProof(headAt(0))).toBe(true);
  note(other, 100, 0);
  expect([100, 101].map((number) => one.needsProof(headAt(number)))).toEqual([false, true]);
  const [only] = createEndpointHeights(1, intervalMs);
  expect(only?.needsProof(headAt(100))).toBe(false);
});

test('a head that is not believed changes no height, and its node is asked last', () => {
  const { one, other, note } = createTwo();
  note(one, 100, 0);
  note(other, 100, 0);
  one.note(headAt(1_000), { atMs: 2_000, isProven: false });
  note(other, 101, 9_000);
  expect([one.latest(), one.isLagging(), other.isLagging()]).toEqual([100, true, false]);
  note(one, 101, 9_000);
  expect([one.latest(), one.isLagging()]).toEqual([101, false]);
});
