import { expect, test } from 'vitest';
import { inPortions } from '../../../src/worker/projector/inPortions.ts';

const portions = (sizes: readonly number[]) => [...inPortions(sizes, { most: 10, sizeOf: (size) => size })];

test('every item is in one portion, in order, and only an item that is too large alone exceeds the size', () => {
  expect(portions([])).toEqual([]);
  expect(portions([3])).toEqual([[3]]);
  expect(portions([5, 5, 1])).toEqual([[5, 5], [1]]);
  expect(portions([11, 1, 20, 10, 0])).toEqual([[11], [1], [20], [10, 0]]);
});
