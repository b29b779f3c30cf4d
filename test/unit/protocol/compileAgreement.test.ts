import { keccak256, stringToBytes } from 'viem';
import { describe, expect, test } from 'vitest';
import { compileAgreement, FieldType, nameHash, ValuesError } from '../../../src/protocol/index.ts';
import { alice, buildDocument } from './documents.ts';
import { refusedPaths } from './issues.ts';

const uint = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

describe('document text', () => {
  test('the hash covers the parsed value in ECMAScript order, numbers re-printed, of repeated keys the last', () => {
    const agreement: unknown = JSON.parse(
      '{"z":1.50,"10":1e3,"2":0,"execution":{"initialize":{"initialState":"A"}},"z":-0}',
    );
    const text = '{"2":0,"10":1000,"z":0,"execution":{"initialize":{"initialState":"A"}}}';
    expect(compileAgreement(agreement).docHash).toBe(keccak256(stringToBytes(text)));
  });

  test.each([
    ['https://example.org/1', {}, 'https://example.org/1'],
    ['', {}, ''],
    [undefined, { id: 'did:x' }, 'ipfs://agreement/did:x'],
    [null, { id: 'did:x' }, 'ipfs://agreement/did:x'],
    [undefined, { templateId: 'did:t' }, 'ipfs://agreement/undefined'],
    [undefined, undefined, 'ipfs://agreement/undefined'],
    [undefined, { id: 7 }, 'ipfs://agreement/7'],
  ])('docUri %j with metadata %j is %s', (docUri, metadata, expected) => {
    expect(compileAgreement(buildDocument({ metadata }), { docUri }).docUri).toBe(expected);
  });
});

describe('initial variables', () => {
  test('references to declared variables are kept in order with repeats, everything else means nothing', () => {
    const data = {
      b: `\${variables.amount}`,
      a: `x \${variables.owner`,
      c: `\${variables.amount}`,
      d: `\${variables.gone}`,
      e: 7,
    };
    const { initVars } = compileAgreement(buildDocument({ data }), {
      values: { amount: '0x02', owner: alice },
    });
    const amount = { id: nameHash('amount'), fType: FieldType.UINT256, data: uint(2) };
    const owner = {
      id: nameHash('owner'),
      fType: FieldType.ADDRESS,
      data: `0x${alice.slice(2).toLowerCase().padStart(64, '0')}`,
    };
    expect(initVars).toEqual([amount, owner, amount]);
  });

  test.each([{}, { amount: null }, { amount: -1 }, { amount: 1.5 }, { amount: 2 ** 53 }, { amount: true }])(
    'values %j are refused at values.amount',
    (values) => {
      const compile = () =>
        compileAgreement(buildDocument({ data: { x: `\${variables.amount}` } }), { values });
      expect(compile).toThrow(ValuesError);
      expect(refusedPaths(compile)).toEqual(['values.amount']);
    },
  );

  test('values of Object.prototype do not stand in for missing ones', () => {
    const agreement = buildDocument({
      variables: { constructor: { type: 'string' } },
      data: { x: `\${variables.constructor}` },
    });
    expect(refusedPaths(() => compileAgreement(agreement, { values: {} }))).toEqual(['values.constructor']);
  });
});

describe('transitions', () => {
  test('the first condition names the input, and undeclared names compile', () => {
    const transitions = [{ from: 'X', to: 'Y', conditions: [{ input: 'one' }, { input: 'two' }] }];
    expect(compileAgreement(buildDocument({ transitions })).transitions).toEqual([
      { fromState: nameHash('X'), toState: nameHash('Y'), inputId: nameHash('one') },
    ]);
  });

  test.each([
    [[{ from: 'A', to: 'B' }], '0.conditions'],
    [[{ from: 'A', to: 'B', conditions: [] }], '0.conditions'],
    [[{ from: 'A', to: 'B', conditions: [{ type: 'isValid' }] }], '0.conditions.0.input'],
    [[{ to: 'B', conditions: [{ input: 'go' }] }], '0.from'],
  ])('%j is refused at %s', (transitions, path) => {
    expect(refusedPaths(() => compileAgreement(buildDocument({ transitions })))).toEqual([
      `execution.transitions.${path}`,
    ]);
  });
});

test('all issues of a document are found at once', () => {
  const agreement = buildDocument({
    initialState: 7,
    transitions: [{}],
    inputs: { go: { data: { a: { type: 'uint256', validation: { min: 'x' } } }, issuer: 'y' } },
  });
  expect(refusedPaths(() => compileAgreement(agreement))).toEqual([
    'execution.initialize.initialState',
    'execution.inputs.go.issuer',
    'execution.inputs.go.data.a.validation.min',
    'execution.transitions.0.from',
    'execution.transitions.0.to',
    'execution.transitions.0.conditions',
  ]);
});

test('errors say what kind of thing is wrong in one constant sentence, and where in their issues', () => {
  const document = buildDocument({ initialState: undefined });
  const missing = { path: 'execution.initialize.initialState', message: 'is missing' };
  expect(() => compileAgreement(document)).toThrow(
    expect.objectContaining({
      name: 'AgreementError',
      message: 'The agreement does not compile.',
      issues: [missing],
    }),
  );
  expect(() => compileAgreement(buildDocument({ data: { a: `\${variables.note}` } }))).toThrow(
    expect.objectContaining({ name: 'ValuesError', message: 'The values do not fit the agreement.' }),
  );
});
