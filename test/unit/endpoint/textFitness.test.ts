import { expect, test } from 'vitest';
import { listUnfit } from '../../../src/api/shapes/textFitness.ts';

test('a hundred unfit texts are told, and that there are more', () => {
  const hundred = listUnfit({ list: Array(100).fill('\0') }, 4);
  expect(hundred.map(({ path }) => path)).toEqual(Array.from({ length: 100 }, (_, at) => `list.${at}`));
  expect(listUnfit({ list: Array(101).fill('\0') }, 4).slice(-2)).toEqual([
    { path: 'list.99', message: expect.stringContaining('NUL') },
    { path: '', message: 'has more issues than these 100' },
  ]);
});

test('what is nested too deeply, and names that are unfit, are told once for each place', () => {
  expect(listUnfit({ first: [[], []], second: [[]], third: { '\0': 1, 'a\0': 1 } }, 2)).toEqual([
    { path: 'third', message: 'has a member whose name contains a NUL character or an unpaired surrogate' },
    { path: 'second', message: 'is nested too deeply' },
    { path: 'first', message: 'is nested too deeply' },
  ]);
});
