// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents.
import { describe, expect, test } from 'vitest';
import { fixedLimits } from '../../../src/protocol/documentLimits.ts';
import {
  acceptedInputs,
  checkInputValues,
  compileAgreement,
  defaultValueLimits,
  defaultAgreementLimits as limits,
  resolveDeployValues,
  ValuesError,
  validateAgreement,
} from '../../../src/protocol/index.ts';
import { busyMs } from '../../support/busyMs.ts';
import { buildDocument, documentWithFields } from './documents.ts';

const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const members = (count: number, value: unknown = {}) =>
  Object.fromEntries(times(count, (at) => [`n${at}`, value]));
const text = { type: 'string' };

/**
 * The result of the function. Expects it within a second; the documents here need less than a hundredth of
 * that.
 */
function promptly<Result>(look: () => Result): Result {
  const results: Result[] = [];
  expect(busyMs(() => results.push(look()))).toBeLessThan(1_000);
  const [result] = results;
  if (result === undefined) throw new Error('nothing was said');
  return result;
}

const paths = (agreement: unknown) =>
  promptly(() => validateAgreement(agreement)).issues.map(({ path }) => path);

describe('a document may have this many', () => {
  const initial = (count: number) => buildDocument({ data: members(count, 'x') });
  const action = (parts: object) => ({
    when: { from: 'A', input: 'go' },
    call: { type: 'evmCall', ...parts },
  });

  test.each<[string, number, (count: number) => unknown, string]>([
    [
      'variables',
      limits.variables,
      (count) => buildDocument({ variables: members(count, text) }),
      'variables',
    ],
    ['initial values', limits.variables, initial, 'execution.initialize.data'],
    [
      'states',
      limits.states,
      (count) => buildDocument({ states: { A: {}, B: {}, ...members(count - 2) } }),
      'execution.states',
    ],
    [
      'inputs',
      limits.inputs,
      (count) => buildDocument({ inputs: { go: {}, ...members(count - 1) } }),
      'execution.inputs',
    ],
    [
      'fields of an input',
      limits.fieldsPerInput,
      (count) => documentWithFields(members(count, text)),
      'execution.inputs.go.data',
    ],
    [
      'fields of all inputs',
      limits.fields,
      (count) =>
        buildDocument({
          inputs: {
            go: {},
            ...members(16, { data: members(Math.floor(count / 16), text) }),
            last: { data: members(count % 16, true) },
          },
        }),
      'execution.inputs',
    ],
    [
      'issuers',
      fixedLimits.issuersPerInput,
      (count) => buildDocument({ inputs: { go: { issuer: times(count, () => `\${variables.owner}`) } } }),
      'execution.inputs.go.issuer',
    ],
    [
      'transitions',
      limits.transitions,
      (count) =>
        buildDocument({
          transitions: times(count, () => ({ from: 'A', to: 'B', conditions: [{ input: 'go' }] })),
        }),
      'execution.transitions',
    ],
    [
      'actions',
      limits.actions,
      (count) =>
        buildDocument({
          actions: times(count, () =>
            action({ target: `0x${'1'.repeat(40)}`, abi: [{ type: 'function', name: 'f' }], method: 'f' }),
          ),
        }),
      'execution.actions',
    ],
    [
      'patterns',
      limits.patterns,
      (count) => buildDocument({ variables: members(count, { ...text, validation: { pattern: 'a' } }) }),
      '',
    ],
  ])('%s, and not one more', (_, limit, build, path) => {
    expect(paths(build(limit))).toEqual([]);
    expect(paths(build(limit + 1))).toEqual([path]);
  });

  test('bytes of UTF-8 in a name, wherever names are', () => {
    const name = 'é'.repeat(limits.nameBytes / 2);
    expect(paths(buildDocument({ variables: { [name]: text } }))).toEqual([]);
    const long = { [`${name}x`]: {} };
    for (const [parts, path] of [
      [{ variables: long }, 'variables'],
      [{ contracts: long }, 'contracts'],
      [{ states: { A: {}, B: {}, ...long } }, 'execution.states'],
      [{ inputs: { go: {}, ...long } }, 'execution.inputs'],
      [{ inputs: { go: { schema: long } } }, 'execution.inputs.go.schema'],
      [{ data: long }, 'execution.initialize.data'],
    ] as const)
      expect(paths(buildDocument(parts))).toEqual([path]);
  });

  test('bytes of rules in a definition, and where many fields repeat them', () => {
    const withRules = (bytes: number) => ({ ...text, validation: { note: 'x'.repeat(bytes - 11) } });
    const full = withRules(fixedLimits.validationBytes);
    expect(paths(buildDocument({ variables: { a: full } }))).toEqual([]);
    const long = withRules(fixedLimits.validationBytes + 1);
    expect(paths(buildDocument({ variables: { a: long } }))).toEqual(['variables.a.validation']);
    const repeated = times(2, (input) => [`i${input}`, { data: members(100, `\${variables.a}`) }] as const);
    const inputs = { go: {}, ...Object.fromEntries(repeated) };
    expect(paths(buildDocument({ variables: { a: full }, inputs }))).toEqual(['execution.inputs']);
  });
});

describe('a hostile document is refused in a moment, with no more than a hundred issues', () => {
  const bulk = (bytes: number, make: (at: number) => string) => {
    const parts: string[] = [];
    for (let size = 0; size < bytes; size += parts.at(-1)?.length ?? 1) parts.push(make(parts.length));
    return parts;
  };

  test.each<[string, unknown]>([
    ['actions that are numbers', buildDocument({ actions: times(255_000, () => 0) })],
    ['arguments that are numbers', buildDocument({ actions: [{ call: { args: times(250_000, () => 0) } }] })],
    ['transitions that are numbers', buildDocument({ transitions: times(255_000, () => 0) })],
    ['56,000 fields', documentWithFields(members(40_000, 1))],
    [
      'names of 17,000 characters over fields at fault',
      buildDocument({
        inputs: {
          ['n'.repeat(17_000)]: { data: members(4_000, { type: 'uint256', validation: { min: -1 } }) },
        },
      }),
    ],
    [
      'many long names',
      buildDocument({
        variables: Object.fromEntries(
          bulk(500_000, (at) => `${'n'.repeat(17_000)}${at}`).map((name) => [name, 1]),
        ),
      }),
    ],
    ['variables that are none', buildDocument({ variables: members(512, 7) })],
    [
      'long names that are declared nowhere',
      buildDocument({
        transitions: times(28, () => ({ from: 'x'.repeat(17_000), to: 'B', conditions: [{ input: 'go' }] })),
      }),
    ],
  ])('%s', (_, agreement) => {
    const { issues, isTooLong } = promptly(() => validateAgreement(agreement));
    expect(isTooLong).toBe(false);
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.length).toBeLessThanOrEqual(101);
    expect(JSON.stringify(issues).length).toBeLessThan(64_000);
  });

  test('and the last of them says that there are more', () => {
    const { issues } = validateAgreement(buildDocument({ variables: members(500, 7) }));
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toEqual({
      path: '',
      message: expect.stringContaining('more issues than these 100'),
    });
  });

  test.each([
    ['classes of Unicode', '\\pL'.repeat(300)],
    ['classes within one', `[${'\\pL\\pN'.repeat(150)}]`],
    ['ranges whose case is ignored', `(?i)[${'\\x{100}-\\x{10ffff}'.repeat(40)}]`],
    ['repetitions', '(a{30}){30}'.repeat(80)],
    ['repetitions of what may be left out', 'a{0,999}'.repeat(120)],
  ])('patterns of %s cost no more than simple ones', (_, pattern) => {
    const variables = members(limits.patterns, { ...text, validation: { pattern } });
    const { issues, warnings } = promptly(() => validateAgreement(buildDocument({ variables })));
    expect(issues).toEqual([]);
    expect(warnings.every(({ message }) => !message.includes('enforces it'))).toBe(true);
  });
});

describe('values', () => {
  const { valueBytes, allValuesBytes } = defaultValueLimits;
  const variables = members(8, text);
  const agreement = buildDocument({ variables, inputs: { go: { data: variables } } });

  test.each<[string, unknown, string[]]>([
    ['as long as may be', { n0: 'é'.repeat(valueBytes / 2) }, []],
    ['a byte too long', { n0: `${'é'.repeat(valueBytes / 2)}x` }, ['n0']],
    ['too long together', members(5, 'x'.repeat(allValuesBytes / 5 + 1)), ['']],
  ])('%s', (_, values, names) => {
    const at = (root: string) => names.map((name) => (name === '' ? root : `${root}.${name}`));
    const ofDeployment = resolveDeployValues({ agreement, initValues: values }, defaultValueLimits).issues;
    expect(ofDeployment.map(({ path }) => path)).toEqual(at('initValues'));
    const ofInput = checkInputValues({ agreement, inputId: 'go', values });
    expect(
      ofInput
        .map(({ path }) => path)
        .filter((path) => !ofInput.some(({ message }) => message === 'is missing') || path === ''),
    ).toEqual(names.length === 0 ? [] : at('values'));
  });

  test.each([
    [2_000, 101],
    [100_000, 1],
  ])('of %i names that the document does not have are refused in a moment', (count, found) => {
    const values = members(count + 8, 1);
    const ofDeployment = () => resolveDeployValues({ agreement, initValues: values }, defaultValueLimits);
    expect(promptly(ofDeployment).issues).toHaveLength(found);
    expect(promptly(() => checkInputValues({ agreement, inputId: 'go', values }))).toHaveLength(found);
  });
});

test('the inputs of a document that no budget was held against repeat rules without end no more', () => {
  const validation = { note: 'x'.repeat(50_000) };
  const data = members(5_000, `\${variables.a}`);
  const agreement = buildDocument({ variables: { a: { ...text, validation } }, inputs: { go: { data } } });
  const [input] = promptly(() => acceptedInputs(agreement, 'A'));
  expect(input?.fields).toHaveLength(5_000);
  expect(input?.fields[0]?.validation).toEqual(validation);
  expect(JSON.stringify(input).length).toBeLessThan(fixedLimits.describedBytes + 5_000 * 64);
});

describe('the largest document keeps a thread busy for a moment only', () => {
  const variables = Object.fromEntries(
    times(limits.variables, (at) => {
      const type = ['uint256', 'string', 'address', 'bool'][at % 4];
      const rules = {
        required: true,
        min: 1,
        minLength: 0,
        ...(at % 4 === 1 && { pattern: `^[a-z${at}]+$` }),
      };
      return [`v${at}`, { type, subtype: 'participant', validation: rules }] as const;
    }),
  );
  const names = Object.keys(variables);
  const refer = (at: number) => `\${variables.${names[at % names.length]}}`;
  const issuers = times(fixedLimits.issuers / limits.inputs, (at) => refer(2 + at * 4));
  const address = `0x${'11'.repeat(20)}`;
  const parameters = times(fixedLimits.argumentsPerAction, () => ({ type: 'address' }));
  const call = {
    type: 'evmCall',
    target: address,
    abi: [{ type: 'function', name: 'f', inputs: parameters }],
    method: 'f',
    args: parameters.map(() => address),
  };
  const execution = {
    states: members(limits.states),
    initialize: { initialState: 'n0', data: Object.fromEntries(names.map((name, at) => [name, refer(at)])) },
    inputs: Object.fromEntries(
      times(limits.inputs, (at) => [
        `i${at}`,
        {
          issuer: issuers,
          data: Object.fromEntries(times(4, (field) => [`f${field}`, refer(at * 4 + field)])),
        },
      ]),
    ),
    transitions: times(limits.transitions, (at) => ({
      from: 'n0',
      to: `n${at}`,
      conditions: [{ input: `i${at}` }],
    })),
    actions: times(limits.actions, (at) => ({ when: { from: 'n0', input: `i${at}` }, call })),
  };
  const content = { type: 'md', data: `${refer(1)} `.repeat(10_000) };
  const agreement = { metadata: { templateId: 't' }, variables, content, execution };
  const initValues = Object.fromEntries(names.map((name, at) => [name, ['1', 'abc', address, true][at % 4]]));

  test.each<[string, () => unknown]>([
    ['validated', () => validateAgreement(agreement)],
    ['given values', () => resolveDeployValues({ agreement, initValues }, defaultValueLimits)],
    ['compiled', () => compileAgreement(agreement, { values: initValues })],
    ['asked for what it accepts', () => acceptedInputs(agreement, 'n0')],
  ])('if it is %s', (_, use) => {
    expect(validateAgreement(agreement).issues).toEqual([]);
    const best = Math.min(...times(5, () => busyMs(use)));
    expect(best).toBeLessThan(100);
  });
});

describe('what is written of one text that is referred to again and again is bounded', () => {
  const large = 'x'.repeat(64 * 1024);
  const action = (arg: string) => ({
    when: { from: 'A', input: 'go' },
    call: {
      type: 'evmCall',
      target: `0x${'11'.repeat(20)}`,
      abi: [{ type: 'function', name: 'f', inputs: times(32, () => ({ type: 'string' })) }],
      method: 'f',
      args: times(32, () => arg),
    },
  });
  const message = expect.stringContaining(`is repeated beyond ${fixedLimits.outputCharacters} characters`);

  test('in the document', () => {
    const agreement = buildDocument({
      actions: times(limits.actions, () => action('${contracts.a.address}')),
      contracts: { a: { address: large.repeat(6) } },
    });
    const { issues } = promptly(() => validateAgreement(agreement));
    expect(issues).toContainEqual({ path: 'contracts.a.address', message });
  });

  test.each([
    ['actions', { actions: times(limits.actions, () => action('${variables.a}')) }],
    ['initial values', { data: members(limits.variables, '${variables.a}') }],
  ])('in %s, as a fault of the value', (_, parts) => {
    const agreement = buildDocument({ variables: { a: text }, ...parts });
    expect(validateAgreement(agreement).issues).toEqual([]);
    expect(promptly(() => resolveDeployValues({ agreement, initValues: { a: large } })).issues).toEqual([
      { path: 'initValues.a', message, reason: 'invalid_values' },
    ]);
    expect(resolveDeployValues({ agreement, initValues: { a: 'x'.repeat(200) } }).issues).toEqual([]);
    expect(() => promptly(() => compileAgreement(agreement, { values: { a: large } }))).toThrow(ValuesError);
  });
});
