import { expect, test } from 'vitest';
import { createAllowance } from '../../../src/platform/turns/allowance.ts';

/** Spends these amounts at the same time. Returns the total time and the order in which they ended. */
async function measure(amounts: readonly number[], rate: { perSecond: number; burst: number }) {
  const allowance = createAllowance(rate);
  const ended: number[] = [];
  const begun = performance.now();
  await Promise.all(
    amounts.map(async (amount, at) => {
      await allowance.spend(amount);
      ended.push(at);
    }),
  );
  return { ms: performance.now() - begun, ended };
}

test('what fits into the burst waits for nothing, and the rest as long as it takes to be earned', async () => {
  const rate = { perSecond: 1_000, burst: 100 };
  expect((await measure([100], rate)).ms).toBeLessThan((await measure([60, 40, 200], rate)).ms);
  // Each timer may fire one millisecond early.
  expect((await measure([60, 40, 200], rate)).ms).toBeGreaterThanOrEqual(190);
});

test('callers are served in their order, whatever they spend', async () => {
  const { ended } = await measure([50, 5, 90, 1], { perSecond: 1_000, burst: 10 });
  expect(ended).toEqual([0, 1, 2, 3]);
});
