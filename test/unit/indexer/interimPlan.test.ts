import { expect, test } from 'vitest';
import type { Generations } from '../../../src/indexer/runtime/chainRebuilds.ts';
import { planInterim, readInterimPlan, writeInterimPlan } from '../../../src/indexer/runtime/interimPlan.ts';

const nameSchema = (generations: Generations) =>
  `index of ${[1, 2, 3].map((chainId) => generations.get(chainId) ?? 0).join(' ')}`;
const done = { isDone: true };
const open = { isDone: false };

test.each([
  ['one chain was given up', [{ chainId: 1, generation: 1, ...open }], 'index of 0 0 0', [1]],
  [
    'another one was before, and is rebuilt',
    [
      { chainId: 1, generation: 2, ...done },
      { chainId: 2, generation: 1, ...open },
    ],
    'index of 2 0 0',
    [2],
  ],
  [
    'two are being rebuilt, one of them for the second time',
    [
      { chainId: 1, generation: 1, ...open },
      { chainId: 3, generation: 2, ...open },
    ],
    'index of 0 0 0',
    [1, 3],
  ],
])('%s: the served index goes on without what was given up since', (_, rebuilds, served, givenUp) => {
  const plan = planInterim({ served, rebuilds, nameSchema });
  expect(plan?.givenUp).toEqual(givenUp);
  expect(nameSchema(plan?.generations ?? new Map())).toBe(served);
  expect(plan && readInterimPlan(writeInterimPlan(plan))).toEqual(plan);
});

test('an index of other code, or of a chain that was rebuilt since, is not gone on with', () => {
  const rebuilds = [
    { chainId: 1, generation: 1, ...done },
    { chainId: 2, generation: 1, ...open },
  ];
  expect(planInterim({ served: 'index of other code', rebuilds, nameSchema })).toBeUndefined();
  expect(planInterim({ served: 'index of 0 0 0', rebuilds, nameSchema })).toBeUndefined();
});
