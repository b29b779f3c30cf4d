import { expect, test } from 'vitest';
import { createLag } from '../../../src/platform/operations/lagWatch.ts';

test('lag counts from when the first block that is missing was there, not from the newest', () => {
  const lag = createLag();
  lag.note({ target: 10, reached: 10 }, 0);
  expect(lag.milliseconds(9_000)).toBe(0);
  lag.note({ target: 11, reached: 10 }, 10_000);
  lag.note({ target: 12, reached: 10 }, 11_000);
  expect(lag.milliseconds(15_000)).toBe(5_000);
  lag.note({ target: 12, reached: 11 }, 15_000);
  expect(lag.milliseconds(15_000)).toBe(4_000);
  lag.note({ target: 13, reached: 12 }, 16_000);
  lag.note({ target: 13, reached: 13 }, 17_000);
  expect(lag.milliseconds(18_000)).toBe(0);
});

test('blocks that a reorganisation took away are waited for no longer', () => {
  const lag = createLag();
  lag.note({ target: 12, reached: 10 }, 0);
  lag.note({ target: 10, reached: 10 }, 1_000);
  expect(lag.milliseconds(5_000)).toBe(0);
});
