import fc from 'fast-check';
import { expect, test } from 'vitest';
import { raiseFees, suggestFees } from '../../../src/worker/relay/fees.ts';

const wei = fc.bigInt({ min: 0n, max: 10n ** 12n });
const market = fc.record({ baseFeePerGas: wei, tip: wei });

test('suggested fees can be mined now, are coherent, and never exceed the cap', () => {
  fc.assert(
    fc.property(market, wei, (now, cap) => {
      const fees = suggestFees(now, cap);
      expect(fees === undefined).toBe(now.baseFeePerGas >= cap);
      if (!fees) return;
      expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(now.baseFeePerGas);
      expect(fees.maxFeePerGas).toBeLessThanOrEqual(cap);
      expect(fees.maxPriorityFeePerGas).toBeLessThanOrEqual(fees.maxFeePerGas);
    }),
  );
});

test('raised fees are an eighth more of both, unless the cap has no room for that or the base fee has reached it', () => {
  fc.assert(
    fc.property(market, market, wei, (before, now, cap) => {
      const previous = suggestFees(before, 10n ** 13n) ?? { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
      const raised = raiseFees(previous, now, cap);
      const hasRoom = (previous.maxFeePerGas * 9n) / 8n + 1n <= cap && now.baseFeePerGas < cap;
      expect(raised !== undefined).toBe(hasRoom);
      if (!raised) return;
      expect(raised.maxFeePerGas * 8n).toBeGreaterThan(previous.maxFeePerGas * 9n);
      expect(raised.maxPriorityFeePerGas * 8n).toBeGreaterThan(previous.maxPriorityFeePerGas * 9n);
      expect(raised.maxFeePerGas).toBeLessThanOrEqual(cap);
      expect(raised.maxPriorityFeePerGas).toBeLessThanOrEqual(raised.maxFeePerGas);
    }),
  );
});

test('raised fees follow a market that has gone up by more than an eighth', () => {
  const previous = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n };
  expect(raiseFees(previous, { baseFeePerGas: 50n, tip: 2n }, 1_000n)).toEqual({
    maxFeePerGas: 102n,
    maxPriorityFeePerGas: 2n,
  });
});
