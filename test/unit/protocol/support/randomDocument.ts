import fc from 'fast-check';
import { getAddress, type Hex } from 'viem';
import type { Action, Definition, Values, WholeDocument } from './referenceCompiler.ts';

const typeNames = [
  'uint256',
  'string',
  'signature',
  'dateTime',
  'address',
  'bool',
  'bytes32',
  'txHash',
  'number',
  'Date',
] as const;

/** Usual names, and names that are special in JSON, ECMAScript or Unicode. */
const name = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,8}$/) },
  fc.constantFrom('10', '2', '0', 'é', '日本', 'a b', '__proto', 'toString', ' ', '😀'),
);
const names = (minLength: number, maxLength: number) => fc.uniqueArray(name, { minLength, maxLength });

const digits = (size: number) =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((bytes) => Buffer.from(bytes).toString('hex'));
export const address = digits(20).chain((hex) => fc.constantFrom(`0x${hex}` as Hex, getAddress(`0x${hex}`)));
const uint = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
  fc.nat().map(String),
  fc.nat().map((value) => `0x${value.toString(16)}`),
);
const bound = fc.oneof(fc.nat(), uint);

const validation = fc.record(
  {
    required: fc.boolean(),
    min: bound,
    max: bound,
    minLength: fc.nat(),
    maxLength: fc.nat(),
  },
  { requiredKeys: [] },
);
const definition: fc.Arbitrary<Definition> = fc.record(
  { type: fc.constantFrom(...typeNames), subtype: fc.constant('participant'), validation },
  { requiredKeys: ['type'] },
);

function valueFor(type: string | undefined): fc.Arbitrary<string | boolean> {
  if (type === 'uint256') return uint;
  if (type === 'address') return address;
  if (type === 'bool') return fc.constantFrom<string | boolean>(true, false, 'true', 'false');
  if (type === 'bytes32' || type === 'txHash') return digits(32).map((hex) => `0x${hex}`);
  return fc.string({ unit: 'grapheme' });
}

/** A reference in the usual form or in an unusual one. */
const referTo = (variable: string) =>
  fc.constantFrom(
    `\${variables.${variable}}`,
    `\${variables.${variable}.value}`,
    `x \${variables.${variable}`,
    `\${variables.${variable}} \${variables.other}`,
  );

const literal = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.constantFrom('text', '', `\${contracts.token.address}`),
);

function fieldsOf(variables: readonly string[]) {
  const reference = fc.constantFrom(...variables, 'unknown').chain(referTo);
  return fc
    .array(fc.tuple(name, fc.oneof(reference, definition, literal)), { maxLength: 5 })
    .map((entries): Record<string, unknown> => Object.fromEntries(entries));
}

function issuerOf(addresses: readonly string[]): fc.Arbitrary<unknown> {
  const nobody = fc.constantFrom(undefined, null, '');
  if (addresses.length === 0)
    return fc.oneof(nobody, address, fc.array(address, { minLength: 1, maxLength: 3 }));
  const variable = fc.constantFrom(...addresses);
  const reference = variable.chain(referTo);
  return fc.oneof(
    nobody,
    reference,
    address,
    variable.map((key) => ({ type: 'participant', variable: key })),
    fc.array(fc.oneof(reference, address), { minLength: 1, maxLength: 4 }),
  );
}

const transfer = {
  type: 'function',
  name: 'transfer',
  inputs: [{ type: 'address' }, { type: 'uint' }],
  outputs: [],
  stateMutability: 'nonpayable',
} as const;

function actionOf(addresses: readonly string[]): fc.Arbitrary<Action> {
  const references = [`\${contracts.token.address}`, ...addresses.map((key) => `\${variables.${key}}`)];
  const party = fc.oneof(fc.constantFrom(...references), address);
  return fc.record({
    when: fc.record({ from: name, input: name }),
    call: fc
      .record({ target: party, value: uint, to: party, amount: uint })
      .map(({ to, amount, ...call }) => ({
        ...call,
        type: 'evmCall',
        abi: [transfer],
        method: 'transfer',
        args: [to, amount],
      })),
  });
}

/** A document that compiles, and values for all its variables. */
export const documentWithValues: fc.Arbitrary<{ document: WholeDocument; values: Values }> = fc
  .tuple(names(1, 6).filter(areReferable), fc.string())
  .chain(([keys, id]) =>
    fc.tuple(fc.constant({ keys, id }), fc.tuple(...keys.map(() => definition)), fc.tuple(address)),
  )
  .chain(([{ keys, id }, definitions, [token]]) => {
    const variables = Object.fromEntries(keys.map((key, at) => [key, definitions[at] ?? {}]));
    const addresses = keys.filter((key) => variables[key]?.type === 'address');
    const input = fc.record(
      { issuer: issuerOf(addresses), data: fieldsOf(keys), schema: fc.oneof(fieldsOf(keys), fc.string()) },
      { requiredKeys: [] },
    );
    const initial = fc.oneof(fc.constantFrom(...keys, 'unknown').chain(referTo), literal);
    const transition = fc.record({
      from: name,
      to: name,
      conditions: fc.array(fc.record({ input: name.filter((text) => text !== '') }), {
        minLength: 1,
        maxLength: 2,
      }),
    });
    const execution = fc.record({
      states: fc.dictionary(name, fc.constant({}), { maxKeys: 3 }),
      initialize: fc.record({
        initialState: name,
        data: fc.dictionary(name, initial, { maxKeys: 5 }),
      }),
      inputs: fc.dictionary(name, input, { maxKeys: 4 }),
      transitions: fc.array(transition, { maxLength: 4 }),
      actions: fc.array(actionOf(addresses), { maxLength: 2 }),
    });
    const values = fc
      .tuple(...keys.map((key) => valueFor(variables[key]?.type)))
      .map((list) => Object.fromEntries(keys.map((key, at) => [key, list[at] ?? ''])));
    const document = execution.map((part) => ({
      metadata: { id },
      variables,
      contracts: { token: { address: token } },
      execution: part,
    }));
    return fc.record({ document: document.map(asParsed), values });
  });

/** Whether references can spell these names. */
function areReferable(keys: readonly string[]): boolean {
  return keys.every((key) => /^\w+$/.test(key));
}

/** The document as parsed from a request: members in ECMAScript's order, none undefined. */
function asParsed(document: WholeDocument): WholeDocument {
  const parsed: WholeDocument = JSON.parse(JSON.stringify(document));
  return parsed;
}

/** Values for some fields of one input, in any order. */
export function submissionOf(document: WholeDocument, inputId: string): fc.Arbitrary<Values> {
  const { data, schema } = document.execution.inputs[inputId] ?? {};
  const own = data ?? (typeof schema === 'object' && schema !== null ? schema : {});
  const fields = Object.entries(own).map(([key, field]: [string, unknown]) => {
    const variable = typeof field === 'string' ? /\$\{variables\.(\w+)/.exec(field)?.[1] : undefined;
    const declared = variable === undefined ? field : document.variables[variable];
    const type =
      typeof declared === 'object' && declared !== null && 'type' in declared
        ? String(declared.type)
        : undefined;
    return { key: variable ?? key, type };
  });
  const unique = [...new Map(fields.toReversed().map((field) => [field.key, field])).values()];
  if (unique.length === 0) return fc.constant({});
  return fc
    .shuffledSubarray(unique)
    .chain((chosen) =>
      fc
        .tuple(...chosen.map(({ type }) => valueFor(type)))
        .map((list) => Object.fromEntries(chosen.map(({ key }, at) => [key, list[at] ?? '']))),
    );
}
