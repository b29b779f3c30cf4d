import { expect, test } from 'vitest';
import { countConfirmations } from '../../../console/src/agreements/countConfirmations.ts';

test.each([
  ['one that is in no block', undefined, 90, 0],
  ['the newest block', 90, 90, 1],
  ['a block below the newest', 90, 92, 3],
  ['a block above the newest known one', 90, 88, 1],
  ['a block of a chain whose head is not known', 90, null, 1],
])('an input in %s has its number of confirmations', (_, blockNumber, head, count) => {
  expect(countConfirmations({ blockNumber }, head)).toBe(count);
});
