import fc from 'fast-check';
import { encodeAbiParameters, getAddress, type Hex, parseAbiParameters } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  decodeInputPayload,
  encodeInputPayload,
  nameHash,
  PayloadError,
  valuesByName,
} from '../../../src/protocol/index.ts';
import { alice, buildDocument, documentWithFields, readDocument, someHash } from './documents.ts';
import { refusedPaths } from './issues.ts';

const everyType = documentWithFields({
  amount: { type: 'uint256' },
  text: { type: 'string' },
  at: { type: 'dateTime' },
  who: { type: 'address' },
  yes: { type: 'bool' },
  hash: { type: 'bytes32' },
  rate: { type: 'number' },
});

const hexText = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const text = fc.string({ unit: 'binary' });
const values = fc.record(
  {
    amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
    text,
    at: text,
    who: hexText(20).map((lower) => getAddress(lower)),
    yes: fc.boolean(),
    hash: hexText(32),
    rate: text,
  },
  { requiredKeys: [] },
);

test('an encoded payload decodes to the same names and values in the same order', () => {
  const property = fc.property(values, (submitted) => {
    const fields = decodeInputPayload(everyType, encodeInputPayload(everyType, 'go', submitted));
    expect(fields.map(({ name, value }) => [name, value])).toEqual(Object.entries(submitted));
  });
  fc.assert(property);
});

test('values by name keep the order of the payload, and of a repeated id the first counts', () => {
  const property = fc.property(values, (submitted) => {
    const fields = decodeInputPayload(everyType, encodeInputPayload(everyType, 'go', submitted));
    const repeated = [...fields, ...fields.map((field) => ({ ...field, value: 'again' }))];
    expect(Object.entries(valuesByName(repeated))).toEqual(Object.entries(submitted));
  });
  fc.assert(property);
});

describe('encoding', () => {
  test('members that look like array positions come first, as in every ECMAScript object', () => {
    const agreement = documentWithFields({ b: { type: 'bool' }, 7: { type: 'bool' }, a: { type: 'bool' } });
    const submitted: unknown = JSON.parse('{"a":true,"b":false,"7":true}');
    const names = decodeInputPayload(agreement, encodeInputPayload(agreement, 'go', submitted)).map(
      ({ name }) => name,
    );
    expect(names).toEqual(['7', 'a', 'b']);
  });

  test.each([
    ['amount', 17, '17'],
    ['amount', '0x11', '17'],
    ['amount', '0017', '17'],
    ['amount', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['who', alice.toLowerCase(), alice],
    ['yes', 'true', true],
    ['yes', 'false', false],
    ['hash', someHash.toUpperCase().replace('0X', '0x'), someHash],
    ['rate', 12.5, '12.5'],
    ['rate', false, 'false'],
    ['text', '', ''],
    ['text', '﻿é✓\u0000', '﻿é✓\u0000'],
  ])('%s takes %j for %j', (name, given, expected) => {
    const payload = encodeInputPayload(everyType, 'go', { [name]: given });
    expect(decodeInputPayload(everyType, payload)[0]?.value).toBe(expected);
  });

  test.each([
    ['amount', ''],
    ['amount', '0x'],
    ['amount', ' 1'],
    ['amount', '-1'],
    ['amount', '1e3'],
    ['amount', 'ff'],
    ['amount', 1.5],
    ['amount', -1],
    ['amount', 2 ** 53],
    ['amount', true],
    ['amount', String(2n ** 256n)],
    ['amount', `0x1${'0'.repeat(64)}`],
    ['text', 7],
    ['text', true],
    ['text', null],
    ['text', {}],
    ['at', 7],
    ['rate', null],
    ['rate', []],
    ['who', alice.toUpperCase().replace('0X', '0x')],
    ['who', alice.replace('9e', '9E')],
    ['who', alice.slice(2)],
    ['who', 7],
    ['yes', 1],
    ['yes', 'yes'],
    ['yes', null],
    ['hash', someHash.slice(2)],
    ['hash', `${someHash}00`],
    ['hash', 7],
    ['missing', 'x'],
    ['toString', 'x'],
  ])('%s refuses %j', (name, given) => {
    expect(refusedPaths(() => encodeInputPayload(everyType, 'go', { [name]: given }))).toEqual([
      `values.${name}`,
    ]);
  });

  test('the key of a reference is its variable’s name, not its own', () => {
    const agreement = buildDocument({ inputs: { go: { data: { mine: `\${variables.note}` } } } });
    expect(refusedPaths(() => encodeInputPayload(agreement, 'go', { mine: 'x', note: 'y' }))).toEqual([
      'values.mine',
    ]);
  });

  test.each(['stop', 'toString', '__proto__'])(
    'an input %s that the document does not have is refused',
    (inputId) => {
      expect(refusedPaths(() => encodeInputPayload(everyType, inputId, {}))).toEqual(['inputId']);
    },
  );

  test.each([[null], [[]], ['x'], [undefined]])('values %j are refused', (submitted) => {
    expect(refusedPaths(() => encodeInputPayload(everyType, 'go', submitted))).toEqual(['values']);
  });

  test('a number of a million digits is refused at once', () => {
    for (const amount of ['9'.repeat(1e6), `${'0'.repeat(1e6)}z`, `0x${'f'.repeat(1e6)}`]) {
      expect(refusedPaths(() => encodeInputPayload(everyType, 'go', { amount }))).toEqual(['values.amount']);
    }
  });
});

describe('decoding', () => {
  const dataFields = parseAbiParameters([
    'DataField[]',
    'struct DataField { bytes32 id; uint8 fType; bytes data; }',
  ]);
  const encode = (fields: { id: Hex; fType: number; data: Hex }[]) =>
    encodeAbiParameters(dataFields, [fields]);
  const zero: Hex = `0x${'0'.repeat(64)}`;

  test('without a document the values are there and the names are not', () => {
    const payload = encodeInputPayload(everyType, 'go', { amount: 5, text: 'é' });
    const plain = decodeInputPayload(null, payload).map(({ data, ...field }) => field);
    expect(plain).toEqual([
      { id: nameHash('amount'), fType: 0, name: null, type: null, value: '5' },
      { id: nameHash('text'), fType: 1, name: null, type: null, value: 'é' },
    ]);
  });

  test('a name takes the type of the given input where several have it', () => {
    const inputs = {
      one: { data: { x: { type: 'signature' } } },
      two: { data: { x: { type: 'dateTime' } } },
      three: { data: { x: { type: 'bool' } } },
    };
    const agreement = buildDocument({ inputs });
    const payload = encodeInputPayload(agreement, 'two', { x: 'now' });
    expect(decodeInputPayload(agreement, payload)[0]?.type).toBe('signature');
    expect(decodeInputPayload(agreement, payload, 'two')[0]?.type).toBe('dateTime');
    expect(decodeInputPayload(agreement, payload, nameHash('two'))[0]?.type).toBe('dateTime');
    const bool = decodeInputPayload(agreement, encodeInputPayload(agreement, 'three', { x: true }), 'one');
    expect(bool[0]).toMatchObject({ name: 'x', type: 'bool', value: true });
  });

  test.each<[string, number, Hex]>([
    ['an address with more than 20 bytes', 2, `0x01${'0'.repeat(62)}`],
    ['a bool of two', 3, `0x${'0'.repeat(63)}2`],
    ['an empty uint256', 0, '0x'],
    ['a uint256 of 31 bytes', 0, `0x${'0'.repeat(62)}`],
    ['bytes32 of 33 bytes', 4, `0x${'0'.repeat(66)}`],
    ['a text that ends too early', 1, `0x${'0'.repeat(62)}20${'0'.repeat(62)}05`],
    ['a text that starts nowhere', 1, `0x${'f'.repeat(64)}`],
    ['a text that is not UTF-8', 1, `0x${'0'.repeat(62)}20${'0'.repeat(62)}01ff${'0'.repeat(62)}`],
    ['a type that the contract does not know', 9, zero],
  ])('%s keeps its data and costs only its own value', (_, fType, data) => {
    const odd = { id: nameHash('odd'), fType, data };
    const amount = { id: nameHash('amount'), fType: 0, data: zero };
    const decoded = decodeInputPayload(everyType, encode([odd, amount]));
    expect(decoded).toEqual([
      { ...odd, name: null, type: null, value: null },
      { ...amount, name: 'amount', type: 'uint256', value: '0' },
    ]);
  });

  test('items may share their place and data may follow, as for the contract', () => {
    const word = (value: number) => value.toString(16).padStart(64, '0');
    const item = `${nameHash('amount').slice(2)}${word(0)}${word(96)}${word(32)}${word(7)}`;
    const payload: Hex = `0x${word(32)}${word(2)}${word(64)}${word(64)}${item}ffff`;
    expect(decodeInputPayload(everyType, payload).map(({ value }) => value)).toEqual(['7', '7']);
  });

  test.each<[Hex]>([
    ['0x'],
    ['0x00'],
    ['0x0'],
    [`0x${'f'.repeat(64)}`],
    [`0x${'0'.repeat(62)}20${'0'.repeat(62)}01`],
  ])('%s is no list of data fields', (payload) => {
    expect(() => decodeInputPayload(null, payload)).toThrow(PayloadError);
  });

  test('bytes of any kind decode or are refused as a payload', () => {
    const bytes = fc
      .uint8Array({ maxLength: 400 })
      .map((content): Hex => `0x${Buffer.from(content).toString('hex')}`);
    const payload = encodeInputPayload(everyType, 'go', { amount: 5, text: 'some text', who: alice });
    const damaged = fc
      .tuple(fc.nat({ max: payload.length - 3 }), fc.constantFrom('0', '1', '8', 'f'))
      .map(([at, digit]): Hex => `0x${payload.slice(2, 2 + at)}${digit}${payload.slice(3 + at)}`);
    const property = fc.property(fc.oneof(bytes, damaged), (content) => {
      const paths = refusedPaths(() => decodeInputPayload(everyType, content));
      expect(['', 'payload']).toContain(paths.join());
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('names of Object.prototype in documents and payloads stay names', () => {
    const agreement = readDocument('payroll');
    const submitted: unknown = JSON.parse(`{"__proto__":"${alice}"}`);
    const [field] = decodeInputPayload(
      agreement,
      encodeInputPayload(agreement, 'hand over', submitted),
      'hand over',
    );
    expect(field).toMatchObject({ name: '__proto__', type: 'address', value: alice });
  });
});
