import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toInstant } from '../../../src/platform/lists/instant.ts';

const latestMs = 8_640_000_000_000_000;

test('an instant is written as Date writes it, whatever was written before', () => {
  const near = fc.integer({ min: -3 * 86_400_000, max: 3 * 86_400_000 });
  const any = fc.integer({ min: -latestMs, max: latestMs });
  fc.assert(
    fc.property(fc.array(fc.oneof(near, any), { minLength: 1 }), (all) => {
      for (const ms of all)
        expect(toInstant(ms / 1_000)).toBe(new Date(Math.round((ms / 1_000) * 1_000)).toISOString());
    }),
    { numRuns: 1_000 },
  );
});

test('the borders of seconds, days and years are in their places', () => {
  expect(toInstant(1_767_225_599.999)).toBe('2025-12-31T23:59:59.999Z');
  expect(toInstant(1_767_225_600)).toBe('2026-01-01T00:00:00.000Z');
  expect(toInstant(-0.001)).toBe('1969-12-31T23:59:59.999Z');
});

test('what no date can hold is refused', () => {
  for (const seconds of [Number.NaN, Number.POSITIVE_INFINITY, 9e12])
    expect(() => toInstant(seconds)).toThrow(RangeError);
});
