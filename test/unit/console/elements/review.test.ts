import { expect, test } from 'vitest';
import { listUnsigned } from '../../../../console/src/agreements/listUnsigned.ts';
import { ReviewValues } from '../../../../console/src/agreements/reviewValues.tsx';
import { splitSigned } from '../../../../console/src/agreements/splitSigned.ts';
import { textOf } from './textOf.ts';

const referTo = (name: string) => `\${variables.${name}}`;
const json = {
  metadata: { name: 'Lease' },
  variables: {
    landlord: { type: 'address', name: 'Landlord' },
    rent: { type: 'uint256', name: 'Rent' },
    note: { type: 'string' },
  },
  execution: {
    initialize: { initialState: 'A', data: { landlord: referTo('landlord') } },
    inputs: {
      raise: { data: { rent: referTo('rent') } },
      mislead: { data: { rent: { type: 'string' } } },
      write: { data: { note: { type: 'string' } } },
    },
  },
};
const variables = { landlord: '0x1', rent: '900', note: 'x' };

test('values that the deployment does not sign are apart from those that it signs', () => {
  expect(splitSigned({ json, displayName: 'Lease', variables })).toEqual({
    values: [['Landlord', '0x1']],
    unsigned: [
      ['Rent', '900'],
      ['note', 'x'],
    ],
  });
});

test('a record’s own name is not signed', () => {
  expect(splitSigned({ json, displayName: 'A better lease', variables: {} }).unsigned).toEqual([
    ['Name given to it here', 'A better lease'],
  ]);
});

test.each([
  ['without any input', [], ['rent', 'note']],
  ['once an input has set one', [['raise', 'MINED', { rent: '1' }]], ['note']],
  ['if the input is not mined', [['raise', 'PENDING', { rent: '1' }]], ['rent', 'note']],
  ['if the input left it out', [['raise', 'MINED', {}]], ['rent', 'note']],
  [
    'if the input has a field of this name and another type',
    [['mislead', 'MINED', { rent: '1' }]],
    ['rent', 'note'],
  ],
  ['once an input has set one by name and type', [['write', 'MINED', { note: 'x' }]], ['rent']],
] as const)('values are not signed %s', (_when, inputs, expected) => {
  const rows = inputs.map(([inputId, status, values]) => ({ inputId, status, values }));
  expect([...listUnsigned({ json, variables }, rows)]).toEqual(expected);
});

test('a label that reverses texts leaves its value as it is', () => {
  const shown = splitSigned({
    json: { ...json, variables: { landlord: { name: 'Rent\u202e' } } },
    displayName: 'Lease',
    variables: { landlord: '901\u202e' },
  });
  expect(textOf(ReviewValues(shown))).toBe('Rent⟨U+202E⟩: 901⟨U+202E⟩');
});
