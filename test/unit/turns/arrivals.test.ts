import { expect, test } from 'vitest';
import { createArrivals } from '../../../src/platform/turns/arrivals.ts';

test('an arrival is recent for a tenth of a second, and none is before the first', () => {
  let now = 0;
  const arrivals = createArrivals(() => now);
  expect(arrivals.areRecent()).toBe(false);
  arrivals.note();
  now = 99;
  expect(arrivals.areRecent()).toBe(true);
  arrivals.note();
  now = 198;
  expect(arrivals.areRecent()).toBe(true);
  now = 199;
  expect(arrivals.areRecent()).toBe(false);
});
