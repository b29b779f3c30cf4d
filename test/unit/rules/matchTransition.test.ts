import { expect, test } from 'vitest';
import { findMismatch } from '../../../src/records/rules/matchTransition.ts';

const transition = { fromState: 'LENT', toState: 'RETURNED', inputId: 'giveBack' };
const type = 'onTransition' as const;

test.each([
  [{ type }, undefined],
  [{ type, from: [], to: [], inputs: [] }, undefined],
  [{ type, from: ['LOST', 'LENT'], to: ['RETURNED'], inputs: ['giveBack'] }, undefined],
  [{ type, from: ['LOST'], to: ['LOST'] }, 'from_state_not_listed'],
  [{ type, from: ['LENT'], to: ['LENT'] }, 'to_state_not_listed'],
  [{ type, inputs: ['__deploy'] }, 'input_not_listed'],
])('the trigger %j meets a transition: %s', (trigger, mismatch) => {
  expect(findMismatch(trigger, transition)).toBe(mismatch);
});

test('a trigger without lists takes the deployment too', () => {
  expect(findMismatch({ type }, { fromState: '', toState: 'LENT', inputId: '__deploy' })).toBeUndefined();
});
