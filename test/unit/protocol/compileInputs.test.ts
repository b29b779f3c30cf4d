import { zeroHash } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  compileAgreement,
  decodeInputPayload,
  encodeInputPayload,
  FieldType,
  nameHash,
  Op,
} from '../../../src/protocol/index.ts';
import { alice, buildDocument, documentWithFields, documentWithIssuer } from './documents.ts';
import { refusedPaths } from './issues.ts';

const uint = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

describe('fields', () => {
  const compileFields = (fields: object, variables?: object) =>
    compileAgreement(documentWithFields(fields, variables)).inputDefs[0]?.fields;
  const field = (name: string, fType: number, { required = true, persist = false } = {}) => ({
    fieldId: nameHash(name),
    fType,
    required,
    persist,
  });

  test.each([
    ['uint256', FieldType.UINT256],
    ['string', FieldType.STRING],
    ['signature', FieldType.STRING],
    ['dateTime', FieldType.STRING],
    ['address', FieldType.ADDRESS],
    ['bool', FieldType.BOOL],
    ['bytes32', FieldType.BYTES32],
    ['txHash', FieldType.BYTES32],
    ['number', FieldType.STRING],
    ['toString', FieldType.STRING],
  ])('the authored type %s is the on-chain type %i', (type, fType) => {
    expect(compileFields({ a: { type } })).toEqual([field('a', fType)]);
  });

  test('a reference takes its variable’s name, type and rules, and persists for addresses alone', () => {
    const variables = { who: { type: 'address', validation: { required: false } }, sum: { type: 'uint256' } };
    expect(compileFields({ x: `see \${variables.who.value}`, y: `\${variables.sum` }, variables)).toEqual([
      field('who', FieldType.ADDRESS, { required: false, persist: true }),
      field('sum', FieldType.UINT256),
    ]);
  });

  test('an address that is no reference does not persist', () => {
    expect(compileFields({ who: { type: 'address' } })).toEqual([field('who', FieldType.ADDRESS)]);
  });

  test('a reference to an unknown variable is a string of that name, any other text a string of its own', () => {
    const expected = [field('gone', FieldType.STRING), field('y', FieldType.STRING)];
    expect(compileFields({ x: `\${variables.gone}`, y: 'text' })).toEqual(expected);
  });

  test.each([[true], [false], [7], [null], ['text'], [['uint256']], [{ of: 'uint256' }]])(
    '%j in the place of a definition is a required text that is not persisted',
    (definition) => {
      expect(compileFields({ isApproved: definition })).toEqual([field('isApproved', FieldType.STRING)]);
      const payload = encodeInputPayload(documentWithFields({ isApproved: definition }), 'go', {
        isApproved: true,
      });
      expect(decodeInputPayload(null, payload)).toMatchObject([{ fType: FieldType.STRING, value: 'true' }]);
    },
  );

  test('names of Object.prototype are not variables', () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
    const fields = Object.fromEntries(names.map((name, at) => [`f${at}`, `\${variables.${name}}`]));
    expect(compileFields(fields)).toEqual(names.map((name) => field(name, FieldType.STRING)));
  });

  test('a schema object holds the fields only if there is no data', () => {
    const schema = { a: { type: 'bool' } };
    const inputs = {
      one: { schema },
      two: { data: {}, schema },
      three: { schema: 'a.json' },
      four: { data: null, schema },
    };
    const compiled = compileAgreement(buildDocument({ inputs })).inputDefs.map(({ fields }) => fields.length);
    expect(compiled).toEqual([1, 0, 0, 1]);
  });
});

describe('conditions', () => {
  const compileConditions = (fields: object) =>
    compileAgreement(documentWithFields(fields)).inputDefs[0]?.conditions;

  test('bounds are min before max, by the type that they apply to, and a bound of zero is one too', () => {
    const fields = {
      b: { type: 'uint256', validation: { max: '0x10', min: 0, minLength: 3, pattern: 'x', step: 2 } },
      a: { type: 'dateTime', validation: { maxLength: 9, minLength: '0', min: 3 } },
      c: { type: 'address', validation: { min: 1, maxLength: 1 } },
    };
    expect(compileConditions(fields)).toEqual([
      { op: Op.UINT_GTE_CONST, fieldId: nameHash('b'), bytesArg: uint(0) },
      { op: Op.UINT_LTE_CONST, fieldId: nameHash('b'), bytesArg: uint(16) },
      { op: Op.STRING_MIN_LENGTH, fieldId: nameHash('a'), bytesArg: uint(0) },
      { op: Op.STRING_MAX_LENGTH, fieldId: nameHash('a'), bytesArg: uint(9) },
    ]);
  });

  test('a JSON number past 2^53 is the whole number that it was read as', () => {
    const conditions = compileConditions({ a: { type: 'uint256', validation: { max: 1e21 } } });
    expect(conditions?.[0]?.bytesArg).toBe(`0x${(10n ** 21n).toString(16).padStart(64, '0')}`);
  });

  test.each([-1, 1.5, 'x', '', true, 1e78, {}])('a bound of %j is refused with its path', (min) => {
    const agreement = documentWithFields({ a: { type: 'uint256', validation: { min } } });
    expect(refusedPaths(() => compileAgreement(agreement))).toEqual([
      'execution.inputs.go.data.a.validation.min',
    ]);
  });
});

describe('issuer', () => {
  const literal = '0xde709f2102306220921060314715629080e2fb77';
  const compileIssuer = (issuer: unknown) =>
    compileAgreement(documentWithIssuer(issuer)).inputDefs[0]?.conditions;
  const word = (hex: string) => hex.slice(2).toLowerCase().padStart(64, '0');
  const single = [{ op: Op.SENDER_EQ_VAR_ADDRESS, fieldId: nameHash('owner'), bytesArg: '0x' }];
  const listed = (ids: string[], literals: string[]) => {
    const parts = [
      uint(64),
      uint(96 + 32 * ids.length),
      uint(ids.length),
      ...ids,
      uint(literals.length),
      ...literals,
    ];
    return [
      { op: Op.SENDER_IN_ALLOWED_ADDRESSES, fieldId: zeroHash, bytesArg: `0x${parts.map(word).join('')}` },
    ];
  };

  test.each([[undefined], [null], ['']])('%j lets anyone submit', (issuer) => {
    expect(compileIssuer(issuer)).toEqual([]);
  });

  test.each([
    [`\${variables.owner.value}`],
    [[`\${variables.owner}`]],
    [{ type: 'participant', variable: 'owner', note: 'kept' }],
  ])('%j compares with one variable', (issuer) => {
    expect(compileIssuer(issuer)).toEqual(single);
  });

  test.each([
    [literal, listed([], [literal])],
    [[literal], listed([], [literal])],
    [[`\${variables.owner}`, `\${variables.owner}`], listed([nameHash('owner'), nameHash('owner')], [])],
    [[alice, `\${variables.owner}`, literal], listed([nameHash('owner')], [alice, literal])],
  ])('%j allows references before literals', (issuer, expected) => {
    expect(compileIssuer(issuer)).toEqual(expected);
  });

  test.each([
    [[], 'issuer'],
    [`\${variables.nobody}`, 'issuer'],
    [`\${variables.amount}`, 'issuer'],
    [`\${variables.constructor}`, 'issuer'],
    ['somebody', 'issuer'],
    [' ', 'issuer'],
    [alice.toUpperCase().replace('0X', '0x'), 'issuer'],
    [[`\${variables.owner}`, ''], 'issuer.1'],
    [[`\${variables.owner}`, { type: 'participant', variable: 'owner' }], 'issuer.1'],
    [[null], 'issuer.0'],
    [{ type: 'participant', variable: 'nobody' }, 'issuer.variable'],
    [{ type: 'participant' }, 'issuer.variable'],
    [{ type: 'role', variable: 'owner' }, 'issuer'],
    [{ variable: 'owner' }, 'issuer'],
    [7, 'issuer'],
    [false, 'issuer'],
  ])('%j is refused at %s', (issuer, path) => {
    const paths = refusedPaths(() => compileAgreement(documentWithIssuer(issuer)));
    expect(new Set(paths)).toEqual(new Set([`execution.inputs.go.${path}`]));
  });
});
