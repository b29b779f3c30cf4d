import { expect, test } from 'vitest';
import { Effect } from '../../../../console/src/agreements/effect.tsx';
import { findEffect } from '../../../../console/src/agreements/findEffect.ts';
import { textOf } from './textOf.ts';

const way = (from: string, to: string, input: string) => ({ from, to, conditions: [{ input }] });
const json = {
  execution: {
    transitions: [way('OPEN', 'PAID', 'pay'), way('OPEN', 'OPEN', 'note'), way('LATE\u202e', 'PAID', 'pay')],
    actions: [{ when: { from: 'OPEN', input: 'pay' }, call: { type: 'evmCall' } }],
  },
};

test.each([
  ['pay', 'OPEN', 'which changes the state from OPEN → PAID, and then calls another contract'],
  ['pay', 'LATE\u202e', 'which changes the state from LATE⟨U+202E⟩ → PAID'],
  ['note', 'OPEN', 'which leaves the state at OPEN'],
])('a review says what %s does in the state %j', (inputId, state, said) => {
  const effect = findEffect({ json, inputId }, state);
  if (!effect) throw new Error('the document takes the input');
  const squeeze = (text: string) => text.replace(/[\s,]+/g, '');
  expect(squeeze(textOf(Effect(effect)))).toBe(squeeze(said));
});

test.each([
  ['that does not take it', 'PAID'],
  ['that nobody knows', null],
])('a review says nothing of what an input does in a state %s', (_, state) => {
  expect(findEffect({ json, inputId: 'pay' }, state)).toBeUndefined();
});
