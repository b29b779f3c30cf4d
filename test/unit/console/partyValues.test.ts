import { expect, test } from 'vitest';
import { splitValues } from '../../../console/src/author/partyValues.ts';

const insured = { name: 'insured', type: 'bool', isParticipant: false, isInitial: true };

test.each([
  ['true', true],
  ['false', false],
  ['True', 'True'],
  ['yes', 'yes'],
  ['1', '1'],
])('only a truth value becomes one: %s', (text, expected) => {
  expect(splitValues([insured], { insured: text }).initValues).toEqual({ insured: expected });
});
