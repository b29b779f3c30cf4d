import { expect, test } from 'vitest';
import { orderInputs } from '../../../console/src/agreements/orderInputs.ts';

const order = (...inputs: { id: string; blockNumber?: number }[]) => orderInputs(inputs).map(({ id }) => id);

test('mined inputs stand in the order of their blocks, newest first; others keep their places', () => {
  expect(
    order(
      { id: 'pending' },
      { id: 'around the service', blockNumber: 4 },
      { id: 'failed' },
      { id: 'through the service', blockNumber: 5 },
      { id: 'first', blockNumber: 2 },
    ),
  ).toEqual(['pending', 'through the service', 'failed', 'around the service', 'first']);
});

test('inputs of one block keep the order of the list', () => {
  expect(order({ id: 'b', blockNumber: 7 }, { id: 'a', blockNumber: 7 })).toEqual(['b', 'a']);
});
