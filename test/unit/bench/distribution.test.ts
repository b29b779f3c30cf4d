import { expect, test } from 'vitest';
import { summarise } from '../../../bench/distribution.ts';

test('percentiles are values that were measured, by the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect(summarise(hundred)).toEqual({ n: 100, min: 1, p50: 50, p90: 90, p99: 99, max: 100 });
  expect(summarise([7])).toEqual({ n: 1, min: 7, p50: 7, p90: 7, p99: 7, max: 7 });
});

test('no measurements are no distribution', () => {
  expect(() => summarise([])).toThrow('nothing was measured');
});
