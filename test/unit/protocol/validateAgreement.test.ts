import { describe, expect, test } from 'vitest';
import { defaultAgreementLimits, validateAgreement } from '../../../src/protocol/index.ts';
import { busyMs } from '../../support/busyMs.ts';
import { buildDocument, documentWithFields, readDocument } from './documents.ts';

const issuePaths = (agreement: unknown) => validateAgreement(agreement).issues.map(({ path }) => path);
const warningPaths = (agreement: unknown) => validateAgreement(agreement).warnings.map(({ path }) => path);

test('a valid document has no issues, and its facts come in its own order', () => {
  expect(validateAgreement(readDocument('escrow'))).toEqual({
    issues: [],
    isTooLong: false,
    warnings: [
      {
        path: 'execution.inputs.pay.schema.amount.validation.step',
        message: expect.stringContaining('the service enforces'),
      },
      {
        path: 'execution.inputs.ship.schema.tracking.validation.pattern',
        message: expect.stringContaining('the service enforces'),
      },
    ],
    templateId: 'did:template:escrow-v1',
    participantVariableKeys: ['buyer', 'seller'],
    inputIds: ['pay', 'ship', 'cancel'],
    stateIds: ['OPEN', 'PAID', 'DONE', 'CANCELLED'],
  });
});

test.each([
  [{ templateId: 't', id: 'i' }, 't'],
  [{ templateId: '', id: 'i' }, 'i'],
  [{ id: 'i' }, 'i'],
  [{ templateId: 7 }, null],
  [{}, null],
  [undefined, null],
])('metadata %j names the template %j', (metadata, templateId) => {
  expect(validateAgreement(buildDocument({ metadata })).templateId).toBe(templateId);
});

describe('issues', () => {
  const transitions = (from: unknown, to: unknown, input: unknown) => [{ from, to, conditions: [{ input }] }];
  const actions = (from: string, input: string, target: string) => [
    {
      when: { from, input },
      call: { type: 'evmCall', target, abi: [{ type: 'function', name: 'f' }], method: 'f' },
    },
  ];
  const zero = `0x${'0'.repeat(40)}`;

  test.each([
    ['an undeclared initial state', { initialState: 'C' }, ['execution.initialize.initialState']],
    ['no initial state', { initialState: undefined }, ['execution.initialize.initialState']],
    [
      'an undeclared state left',
      { transitions: transitions('C', 'B', 'go') },
      ['execution.transitions.0.from'],
    ],
    [
      'an undeclared state entered',
      { transitions: transitions('A', 'toString', 'go') },
      ['execution.transitions.0.to'],
    ],
    [
      'an undeclared input',
      { transitions: transitions('A', 'B', 'stop') },
      ['execution.transitions.0.conditions.0.input'],
    ],
    ['a state that is no text', { transitions: transitions('A', 5, 'go') }, ['execution.transitions.0.to']],
    [
      'an action in an undeclared state',
      { actions: actions('C', 'go', zero) },
      ['execution.actions.0.when.from'],
    ],
    [
      'an action on an undeclared input',
      { actions: actions('A', 'stop', zero) },
      ['execution.actions.0.when.input'],
    ],
    [
      'an action on an undeclared variable',
      { actions: actions('A', 'go', `\${variables.x}`) },
      ['execution.actions.0.call.target'],
    ],
    [
      'an action without a target',
      { actions: actions('A', 'go', 'here') },
      ['execution.actions.0.call.target'],
    ],
    ['an issuer that is none', { inputs: { go: { issuer: [] } } }, ['execution.inputs.go.issuer']],
    [
      'states that are a list',
      { states: ['A', 'B'] },
      ['execution.states', 'execution.initialize.initialState'],
    ],
    ['an input that is text', { inputs: { go: 'yes' } }, ['execution.inputs.go']],
    ['a variable that is text', { variables: { a: 'uint256' } }, ['variables.a']],
    ['a variable that is null', { variables: { a: null } }, ['variables.a']],
    ['a type that is no text', { variables: { a: { type: 5 } } }, ['variables.a.type']],
    ['metadata that is text', { metadata: 'did' }, ['metadata']],
    ['content that is text', { content: 'Hello' }, ['content']],
    ['content whose data is no text', { content: { data: {} } }, ['content.data']],
    ['a name with half a character', { variables: { '\ud800': {} } }, ['variables.\ud800']],
  ])('%s', (_, parts, paths) => {
    expect([...new Set(issuePaths(buildDocument(parts)))]).toEqual(expect.arrayContaining(paths));
  });

  test.each([[null], [[]], ['{}'], [7], [undefined]])('%j is no document', (agreement) => {
    expect(validateAgreement(agreement).issues).toEqual([{ path: '', message: 'must be an object' }]);
  });

  test('the value of an action needs no value to be checked', () => {
    expect(issuePaths(buildDocument({ actions: actions('A', 'go', `\${variables.owner}`) }))).toEqual([]);
  });
});

describe('limits', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`N${at}`, {}]));
  const nested = (depth: number): unknown => (depth === 1 ? {} : { deeper: nested(depth - 1) });

  test.each([
    ['states', (count: number) => buildDocument({ states: { A: {}, B: {}, ...many(count - 2) } })],
    ['inputs', (count: number) => buildDocument({ inputs: { go: {}, ...many(count - 1) } })],
    [
      'transitions',
      (count: number) => {
        const transition = { from: 'A', to: 'B', conditions: [{ input: 'go' }] };
        return buildDocument({ transitions: Array.from({ length: count }, () => transition) });
      },
    ],
  ])('256 %s are accepted, 257 are not', (name, build) => {
    expect(issuePaths(build(256))).toEqual([]);
    expect(issuePaths(build(257))).toEqual([`execution.${name}`]);
  });

  test('64 levels are accepted, 65 are not', () => {
    expect(issuePaths(buildDocument({ metadata: { name: nested(62) } }))).toEqual([]);
    expect(issuePaths(buildDocument({ metadata: { name: nested(63) } }))).toEqual(['']);
  });

  test('512 KiB of UTF-8 are accepted, one byte more is not', () => {
    const withContent = (data: string) => buildDocument({ content: { type: 'md', data } });
    const frame = new TextEncoder().encode(JSON.stringify(withContent(''))).length;
    const room = 512 * 1024 - frame;
    expect(issuePaths(withContent(`${'é'.repeat(1000)}${'x'.repeat(room - 2000)}`))).toEqual([]);
    expect(issuePaths(withContent(`${'é'.repeat(1000)}${'x'.repeat(room - 1999)}`))).toEqual(['']);
  });

  test('a service may set its own', () => {
    const limits = { ...defaultAgreementLimits, states: 1 };
    expect(validateAgreement(buildDocument(), limits).issues).toEqual([
      { path: 'execution.states', message: 'must not have more than 1 items' },
    ]);
  });
});

describe('warnings', () => {
  const rule = (validation: object, type = 'string') => documentWithFields({ a: { type, validation } });
  const at = (name: string) => [`execution.inputs.go.data.a.validation.${name}`];

  test.each([
    ['an unknown type', documentWithFields({ a: { type: 'number' } }), ['execution.inputs.go.data.a.type']],
    ['a variable without a type', buildDocument({ variables: { a: {} } }), ['variables.a']],
    [
      'a field for an unknown variable',
      documentWithFields({ a: `\${variables.x}` }),
      ['execution.inputs.go.data.a'],
    ],
    [
      'a participant that is no address',
      buildDocument({ variables: { a: { type: 'bool', subType: 'participant' } } }),
      ['variables.a'],
    ],
    ['content of type html', buildDocument({ content: { type: 'html', data: '' } }), ['content.type']],
    ['content of type text', buildDocument({ content: { type: 'text', data: '' } }), ['content.type']],
    [
      'content that names an unknown variable',
      buildDocument({ content: { data: `\${variables.x.value} \${variables.x}` } }),
      ['content.data'],
    ],
    [
      'a state that cannot be reached',
      buildDocument({ states: { A: {}, B: {}, C: {} } }),
      ['execution.states.C'],
    ],
    [
      'an input without a transition',
      buildDocument({ inputs: { go: {}, stop: {} } }),
      ['execution.inputs.stop'],
    ],
    ['a pattern', rule({ pattern: '^a+$' }), at('pattern')],
    ['a pattern that needs backtracking', rule({ pattern: '(a)\\1' }), at('pattern')],
    ['a step', rule({ step: 2 }, 'uint256'), at('step')],
    ['a step of zero', rule({ step: 0 }, 'uint256'), at('step')],
    ['a bound for another type', rule({ min: 2 }), at('min')],
    [
      'initial data that is not stored',
      buildDocument({ data: { a: 'text' } }),
      ['execution.initialize.data.a'],
    ],
  ])('%s', (_, agreement, paths) => {
    expect(validateAgreement(agreement)).toMatchObject({ issues: [] });
    expect(warningPaths(agreement)).toEqual(paths);
  });

  test('a state that only an unreachable one leads to is unreachable as well, and circles end', () => {
    const step = (from: string, to: string) => ({ from, to, conditions: [{ input: 'go' }] });
    const states = { A: {}, B: {}, C: {}, D: {} };
    const agreement = buildDocument({
      states,
      transitions: [step('A', 'B'), step('B', 'A'), step('C', 'D'), step('D', 'C')],
    });
    expect(warningPaths(agreement)).toEqual(['execution.states.C', 'execution.states.D']);
  });

  test('a transition that another one hides, and conditions after the first', () => {
    const transition = { from: 'A', to: 'B', conditions: [{ input: 'go' }, { input: 'go' }] };
    const agreement = buildDocument({
      transitions: [transition, { ...transition, conditions: [{ input: 'go' }] }],
    });
    expect(warningPaths(agreement)).toEqual([
      'execution.transitions.0.conditions',
      'execution.transitions.1',
    ]);
  });

  test('a document full of expensive patterns is looked at in a moment', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [
        `f${at}`,
        { type: 'string', validation: { pattern: `(a{99}){9}${at}` } },
      ]),
    );
    const limits = { ...defaultAgreementLimits, fields: 6_000, fieldsPerInput: 6_000, patterns: 6_000 };
    const agreement = documentWithFields(fields);
    const { warnings } = validateAgreement(agreement, limits);
    expect(warnings.at(-2)?.message).toContain('too many patterns');
    expect(busyMs(() => validateAgreement(agreement, limits))).toBeLessThan(1_000);
  });
});
