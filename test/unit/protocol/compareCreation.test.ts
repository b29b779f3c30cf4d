import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type AgreementParameters,
  type CreationPart,
  compareCreation,
  compileAgreement,
  FieldType,
  nameHash,
  type WireValues,
} from '../../../src/protocol/index.ts';
import { alice, bob, buildDocument } from './documents.ts';

const mural: unknown = JSON.parse(
  readFileSync(new URL('../../../examples/agreements/mural-commission.json', import.meta.url), 'utf8'),
);
const values = { patron: alice, artist: bob, wall: 'North side', wallSquareMetres: '40' };
const created = compileAgreement(mural, { values });

const call = {
  type: 'evmCall',
  target: alice,
  abi: [{ type: 'function', name: 'note', inputs: [{ name: 'text', type: 'string' }] }],
  method: 'note',
  args: [`\${variables.memo}`],
};
/** Its action needs a text that the contract does not hold. */
const noting = buildDocument({
  variables: { memo: { type: 'string' } },
  actions: [{ when: { from: 'A', input: 'go' }, call }],
});

test('an agreement that was created from a document has its rules', () => {
  expect(compareCreation(mural, { values, creation: created })).toEqual({ differing: [], isWhole: true });
});

const [input, ...otherInputs] = created.inputDefs;
const [transition, ...otherTransitions] = created.transitions;
if (!input || !transition) throw new Error('the example has no inputs');
const action = {
  fromState: nameHash('A'),
  inputId: nameHash('go'),
  target: alice,
  value: 0n,
  data: '0x',
} as const;

test.each<[CreationPart, Partial<AgreementParameters>]>([
  ['initialState', { initialState: nameHash('elsewhere') }],
  ['inputs', { inputDefs: [{ ...input, conditions: [] }, ...otherInputs] }],
  ['inputs', { inputDefs: [{ ...input, verifierKeys: [nameHash('key')] }, ...otherInputs] }],
  ['inputs', { inputDefs: otherInputs }],
  ['transitions', { transitions: [{ ...transition, toState: nameHash('PAID') }, ...otherTransitions] }],
  ['transitions', { transitions: [...created.transitions].reverse() }],
  ['variables', { initVars: created.initVars.slice(1) }],
  [
    'variables',
    { initVars: [...created.initVars, { id: nameHash('x'), fType: FieldType.BOOL, data: '0x' }] },
  ],
  ['verifiers', { verifiers: [{ key: nameHash('key'), verifier: alice }] }],
  ['actions', { actions: [...created.actions, action] }],
])('a creation with other %s is told', (part, other) => {
  expect(compareCreation(mural, { values, creation: { ...created, ...other } })).toEqual({
    differing: [part],
    isWhole: true,
  });
});

describe('a call', () => {
  const creationOf = (memo: WireValues) => compileAgreement(noting, { values: memo });

  test('is compared with its values', () => {
    const creation = creationOf({ memo: 'pay' });
    const compare = (memo: WireValues) => compareCreation(noting, { values: memo, creation });
    expect(compare({ memo: 'pay' })).toEqual({ differing: [], isWhole: true });
    expect(compare({ memo: 'do not pay' })).toEqual({ differing: ['actions'], isWhole: true });
  });

  test('whose value is unknown cannot be compared, but its absence can', () => {
    const creation = creationOf({ memo: 'pay' });
    expect(compareCreation(noting, { values: {}, creation })).toEqual({ differing: [], isWhole: false });
    const silent = { ...creation, actions: [] };
    expect(compareCreation(noting, { values: {}, creation: silent }).differing).toEqual(['actions']);
  });
});

test('of a creation that shows nothing but its actions, only these are compared', () => {
  const { actions } = created;
  expect(compareCreation(mural, { values, creation: { actions } })).toEqual({
    differing: [],
    isWhole: false,
  });
  expect(compareCreation(mural, { values, creation: { actions: [action] } }).differing).toEqual(['actions']);
});
