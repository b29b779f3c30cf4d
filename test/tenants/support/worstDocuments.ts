import type { AgreementLimits } from '../../../src/protocol/documentLimits.ts';
import { fixedLimits } from '../../../src/protocol/documentLimits.ts';
import { serializeAgreement } from '../../../src/protocol/index.ts';

type Json = Record<string, unknown>;

/** A document that reaches one of the limits, and the data for its deployment. */
export type WorstDocument = {
  readonly name: string;
  readonly agreement: Json;
  /** Initial values for its deployment, as large as allowed. */
  readonly values: Json;
};

const reference = (name: string) => `\${variables.${name}}`;
const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const members = (count: number, make: (at: number) => readonly [string, unknown]) =>
  Object.fromEntries(times(count, make));

/** The smallest possible document; anybody may send its input any number of times. */
const plain = {
  metadata: { templateId: 'did:template:worst' },
  variables: {},
  content: { type: 'md', data: '' },
  execution: {
    initialize: { initialState: 'A', data: {} },
    states: { A: {}, B: {} },
    inputs: { go: { data: {} } },
    transitions: [
      { from: 'A', to: 'B', conditions: [{ input: 'go' }] },
      { from: 'B', to: 'A', conditions: [{ input: 'go' }] },
    ],
  },
};

function build({ execution = {}, ...parts }: Json & { execution?: Json }): Json {
  return { ...plain, ...parts, execution: { ...plain.execution, ...execution } };
}

/**
 * Documents at the limits, each at a different one. The service accepts all of them, because a refused
 * document costs less than an accepted one.
 */
export function buildWorstDocuments(limits: AgreementLimits): WorstDocument[] {
  const longName = (at: number) =>
    `n${at}`.padEnd(limits.nameBytes, 'é'.repeat(1)).slice(0, limits.nameBytes / 2);
  const names = times(limits.variables, longName);
  const room = (share: number) => Math.floor(limits.jsonBytes * share);
  const named = (name: string, agreement: Json, values: Json = {}): WorstDocument => ({
    name,
    agreement: fill(agreement, limits.jsonBytes),
    values,
  });
  return [
    named(
      'variables',
      withVariables(names),
      members(names.length, (at) => [names[at] ?? '', `${at}`.padEnd(400, 'x')]),
    ),
    named(
      'fields',
      withFields(limits, (at) => [longName(at), { type: 'string', validation: { maxLength: 9 } }]),
    ),
    named('references that repeat rules', withRepeatedRules(limits)),
    named('inputs', withInputs(limits)),
    named('states and transitions', withStates(limits)),
    named('conditions', withConditions(limits)),
    named('actions', withActions(limits)),
    named('texts in actions', withTexts(limits), { a: 'x'.repeat(textLength(limits)) }),
    named('issuers', withIssuers(limits)),
    named(
      'patterns',
      withPatterns(limits),
      members(limits.patterns, (at) => [`p${at}`, 'aa']),
    ),
    named(
      'Unicode classes',
      withClasses(limits),
      members(limits.patterns, (at) => [`p${at}`, 'a']),
    ),
    named(
      'a table of Markdown',
      build({ content: { type: 'md', data: `|a|\n|-|\n${'|*b*|\n'.repeat(room(0.12))}` } }),
    ),
    named(
      'references in its text',
      build({
        variables: { a: { type: 'string' } },
        content: { type: 'md', data: reference('a').repeat(room(0.06)) },
      }),
      { a: 'x'.repeat(60_000) },
    ),
    named('nesting without end', build({ note: times(500, () => nest(limits.nesting - 4)) })),
    named('members without meaning', build({ note: times(8, () => members(4_000, (at) => [`m${at}`, 0])) })),
    named('characters that JSON escapes', build({ note: '\u0001'.repeat(room(0.16)) })),
  ];
}

/** Fills the rest of a document's allowed size with text. */
function fill(agreement: Json, jsonBytes: number): Json {
  const rest = jsonBytes - Buffer.byteLength(serializeAgreement({ ...agreement, filling: '' }));
  return rest > 0 ? { ...agreement, filling: 'é'.repeat(Math.floor(rest / 2)) } : agreement;
}

function withVariables(names: readonly string[]): Json {
  const variables = Object.fromEntries(
    names.map((name) => [name, { type: 'string', validation: { maxLength: 500 } }]),
  );
  const data = Object.fromEntries(names.map((name) => [name, reference(name)]));
  return build({ variables, execution: { initialize: { initialState: 'A', data } } });
}

function withFields(
  { fields, fieldsPerInput }: AgreementLimits,
  make: (at: number) => readonly [string, unknown],
): Json {
  const inputs = members(Math.floor(fields / fieldsPerInput), (at) => [
    `go${at}`,
    { data: members(fieldsPerInput, (field) => make(field)) },
  ]);
  const transitions = Object.keys(inputs).map((input) => ({ from: 'A', to: 'A', conditions: [{ input }] }));
  return build({ execution: { inputs, transitions } });
}

/** All fields together need as many bytes as allowed, by reference to a few variables. */
function withRepeatedRules(limits: AgreementLimits): Json {
  const bytes = Math.floor(fixedLimits.describedBytes / limits.fields) - 120;
  const variables = members(limits.fieldsPerInput, (at) => [
    `v${at}`,
    { type: 'string', validation: { note: 'x'.repeat(bytes) } },
  ]);
  return { ...withFields(limits, (at) => [`f${at}`, reference(`v${at}`)]), variables };
}

function withInputs({ inputs: count, fields }: AgreementLimits): Json {
  const perInput = Math.floor(fields / count);
  const inputs = members(count, (at) => [
    `i${at}`,
    {
      data: members(perInput, (field) => [`f${field}`, { type: 'uint256', validation: { min: 0, max: 9 } }]),
    },
  ]);
  const transitions = Object.keys(inputs).map((input) => ({ from: 'A', to: 'B', conditions: [{ input }] }));
  return build({ execution: { inputs, transitions } });
}

function withStates({ states: count, transitions: most, nameBytes }: AgreementLimits): Json {
  const name = (at: number) => `s${at % count}`.padEnd(nameBytes, 'x');
  const states = members(count, (at) => [name(at), { description: 'x'.repeat(200) }]);
  const transitions = times(most, (at) => ({
    from: name(at),
    to: name(at + 1),
    conditions: [{ input: 'go' }],
  }));
  return build({ execution: { states, transitions, initialize: { initialState: name(0), data: {} } } });
}

function withConditions({ transitions: most }: AgreementLimits): Json {
  const conditions = times(fixedLimits.conditionsPerTransition, () => ({ input: 'go' }));
  return build({ execution: { transitions: times(most, () => ({ from: 'A', to: 'B', conditions })) } });
}

/** So many actions that make the same call. */
function repeatCall(count: number, call: { abi: Json[]; method: string; args: string[] }): Json[] {
  const target = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
  return times(count, (at) => ({
    id: `a${at}`,
    when: { from: 'A', input: 'go' },
    call: { type: 'evmCall', target, ...call },
  }));
}

function withActions({ actions: count }: AgreementLimits): Json {
  const inputs = times(8, (at) => ({ name: `p${at}`, type: 'uint256' }));
  const abi = times(20, (at) => ({ type: 'function', name: `f${at}`, inputs }));
  const actions = repeatCall(count, { abi, method: 'f19', args: times(8, () => '1') });
  return build({ execution: { actions } });
}

const textsPerAction = 16;
const textLength = ({ actions }: AgreementLimits) =>
  Math.floor(fixedLimits.outputCharacters / (actions * textsPerAction));

/** Each action repeats one value in its call data. */
function withTexts({ actions: count }: AgreementLimits): Json {
  const inputs = times(textsPerAction, (at) => ({ name: `p${at}`, type: 'string' }));
  const abi = [{ type: 'function', name: 'f', inputs }];
  const args = times(textsPerAction, () => reference('a'));
  const actions = repeatCall(count, { abi, method: 'f', args });
  return build({ variables: { a: { type: 'string' } }, execution: { actions } });
}

function withIssuers({ inputs: most }: AgreementLimits): Json {
  const perInput = Math.min(fixedLimits.issuersPerInput, Math.floor(fixedLimits.issuers / most));
  const issuer = times(perInput, (at) => `0x${at.toString(16).padStart(40, '1')}`);
  const inputs = members(most, (at) => [`i${at}`, { issuer, data: {} }]);
  const transitions = Object.keys(inputs).map((input) => ({ from: 'A', to: 'B', conditions: [{ input }] }));
  return build({ execution: { inputs, transitions } });
}

function withPatterns({ patterns }: AgreementLimits): Json {
  const validation = { pattern: '^(a?){20}a$' };
  return build({ variables: members(patterns, (at) => [`p${at}`, { type: 'string', validation }]) });
}

function withClasses({ patterns }: AgreementLimits): Json {
  const validation = { pattern: '(?i)^[\\p{L}\\p{N}\\P{Lu}]$' };
  return build({ variables: members(patterns, (at) => [`p${at}`, { type: 'string', validation }]) });
}

function nest(depth: number): unknown {
  return depth === 0 ? 0 : [nest(depth - 1)];
}
