import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  acceptedInputs,
  applyAcceptedInput,
  checkInputValues,
  compileAgreement,
  decodeInputPayload,
  encodeInputPayload,
  initialStoredAddresses,
  issuerOf,
  ProtocolError,
  resolveDeployValues,
  stateName,
  validateAgreement,
} from '../../../src/protocol/index.ts';
import { alice, bob, readDocument, someHash } from './documents.ts';

const values = {
  buyer: alice,
  seller: bob,
  price: '5',
  express: true,
  orderRef: someHash,
  salary: 42,
  employer: bob,
};
const payload = encodeInputPayload(readDocument('escrow'), 'ship', { tracking: 'AB123456' });

/** Everything that a caller can do with a document. */
const uses: Record<string, (agreement: unknown) => unknown> = {
  compile: (agreement) => compileAgreement(agreement, { values }),
  validate: (agreement) => validateAgreement(agreement),
  resolve: (agreement) =>
    resolveDeployValues({ agreement, initValues: values, participants: [{ variableKey: 'buyer' }] }),
  check: (agreement) => checkInputValues({ agreement, inputId: 'ship', values }),
  encode: (agreement) => encodeInputPayload(agreement, 'ship', { tracking: 'AB123456' }),
  decode: (agreement) => decodeInputPayload(agreement, payload),
  apply: (agreement) =>
    applyAcceptedInput({}, agreement, { inputId: 'ship', fields: decodeInputPayload(null, payload) }),
  stored: (agreement) => initialStoredAddresses(agreement, { buyer: alice }),
  look: (agreement) => [
    issuerOf(agreement, 'ship'),
    acceptedInputs(agreement, 'PAID'),
    stateName(agreement, someHash),
  ],
};

/**
 * Expects that each use of a document returns a result or throws an error that names the places, and does not
 * change the document.
 */
function expectOrderlyUse(agreement: unknown) {
  freeze(agreement);
  const before = JSON.stringify(agreement);
  for (const use of Object.values(uses)) {
    try {
      use(agreement);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      expect(error.issues.length).toBeGreaterThan(0);
      for (const { path, message } of error.issues)
        expect([typeof path, message.length > 0]).toEqual(['string', true]);
    }
  }
  expect(JSON.stringify(agreement)).toBe(before);
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

type Replacement = { readonly path: readonly (string | number)[]; readonly by: unknown };

/** The paths of a value and of all values inside it, from the root down. */
function listPaths(
  value: unknown,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => listPaths(member, [...path, key]))];
}

/** The value with the part at one path replaced. */
function replace(value: unknown, { path: [key, ...rest], by }: Replacement): unknown {
  if (key === undefined) return by;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === key ? replace(member, { path: rest, by }) : member,
  ]);
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

const words = fc.constantFrom(
  'execution',
  'inputs',
  'data',
  'schema',
  'issuer',
  'states',
  'variables',
  'type',
  'validation',
  'min',
  'pattern',
  'step',
  'address',
  'uint256',
  'participant',
  'variable',
  'evmCall',
  'toString',
  'constructor',
  '__proto__',
  '',
  '\ud800',
  '7',
  `\${variables.buyer}`,
  `\${variables.constructor.value}`,
  `\${contracts.toString.address}`,
  alice,
  '0x',
  '[',
  '(?=a)',
  'a{1000}',
);
const scalar = fc.oneof(
  words,
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(-0, 1e300, 2 ** 53),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('json'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.oneof(words, fc.string()), tie('json')), { maxLength: 4 })
      .map((members) => Object.fromEntries(members)),
  ),
}));

test('any JSON value is used in order or refused with its places', () => {
  fc.assert(fc.property(json, expectOrderlyUse), { numRuns: 300 });
});

test.each(['escrow', 'payroll'] as const)(
  '%s with any place replaced is used in order or refused with its places',
  (name) => {
    const document = readDocument(name);
    const paths = listPaths(document);
    const damaged = fc
      .tuple(fc.constantFrom(...paths), json)
      .map(([path, by]) => replace(document, { path, by }));
    fc.assert(fc.property(damaged, expectOrderlyUse), { numRuns: 600 });
  },
);

test.each([
  ['arrays', (inner: unknown) => [inner]],
  ['objects', (inner: unknown) => ({ execution: inner })],
])('nesting of %s deeper than the stack is refused, not suffered', (_, wrap) => {
  let agreement: unknown = {};
  for (let depth = 0; depth < 100_000; depth++) agreement = wrap(agreement);
  const document = { execution: agreement };
  expect(() => compileAgreement(document)).toThrow(ProtocolError);
  expect(validateAgreement(document).issues).toEqual([{ path: '', message: 'must not nest deeper than 64' }]);
});

test.each([[undefined], [() => 1], [Symbol('x')], [1n], [{ execution: 1n }]])(
  '%s, which is no JSON, is refused',
  (agreement) => {
    expect(() => compileAgreement(agreement)).toThrow(ProtocolError);
  },
);
