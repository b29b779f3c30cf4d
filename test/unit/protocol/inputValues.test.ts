import { describe, expect, test } from 'vitest';
import { checkInputValues } from '../../../src/protocol/index.ts';
import { maxIssues } from '../../../src/protocol/issueList.ts';
import { busyMs } from '../../support/busyMs.ts';
import { buildDocument, documentWithFields, readDocument, someHash } from './documents.ts';

const check = (values: unknown, { agreement = readDocument('escrow'), inputId = 'pay' } = {}) =>
  checkInputValues({ agreement, inputId, values }).map(({ path }) => path);

const oneField = (validation: object, type: string) => documentWithFields({ a: { type, validation } });
const checkOne = ({ type, validation, value }: { type: string; validation: object; value: unknown }) =>
  check({ a: value }, { agreement: oneField(validation, type), inputId: 'go' });

test('values that keep every rule have no issues', () => {
  expect(check({ receipt: someHash, amount: '11', note: 'ok' })).toEqual([]);
  expect(check({ tracking: 'AB123456', shippedAt: 'today' }, { inputId: 'ship' })).toEqual([]);
});

test('all issues come at once: unknown and missing fields, types and rules', () => {
  const wrong = { amount: 0, note: 7, colour: 'red', constructor: 1 };
  expect(check(wrong)).toEqual([
    'values.amount',
    'values.note',
    'values.colour',
    'values.constructor',
    'values.receipt',
  ]);
});

test('an optional field may be left out but not be null', () => {
  expect(check({ receipt: someHash, amount: 1 })).toEqual([]);
  expect(check({ receipt: someHash, amount: 1, note: null })).toEqual(['values.note']);
});

test('two broken rules of one field are two issues', () => {
  const validation = { minLength: 3, pattern: '^b' };
  expect(checkOne({ type: 'string', validation, value: 'a' })).toEqual(['values.a', 'values.a']);
});

test.each([[null], [[]], ['x'], [undefined]])('values %j are refused as such', (values) => {
  expect(check(values)).toEqual(['values']);
});

test.each(['refund', 'toString', '__proto__'])('the input %s does not exist', (inputId) => {
  expect(check({}, { inputId })).toEqual(['inputId']);
});

test('the rules of a referenced variable count', () => {
  const variables = { sum: { type: 'uint256', validation: { max: 5, required: false } } };
  const agreement = buildDocument({ variables, inputs: { go: { data: { x: `\${variables.sum}` } } } });
  expect(check({}, { agreement, inputId: 'go' })).toEqual([]);
  expect(check({ sum: 6 }, { agreement, inputId: 'go' })).toEqual(['values.sum']);
});

test('no value fits two fields with one name and different types, as the contract finds the same value for both', () => {
  const required = { validation: { required: false } };
  const variables = { note: { type: 'string', ...required } };
  const data = { x: `\${variables.note}`, note: { type: 'uint256', ...required } };
  const agreement = buildDocument({ variables, inputs: { go: { data } } });
  for (const note of ['7', 7, 'seven'])
    expect(checkInputValues({ agreement, inputId: 'go', values: { note } })).toEqual([
      {
        path: 'values.note',
        message: 'fits no value: the input has fields with this name and different types',
      },
    ]);
  expect(check({}, { agreement, inputId: 'go' })).toEqual([]);
});

describe('rules', () => {
  test.each([
    ['uint256', { min: 5 }, '5', true],
    ['uint256', { min: 5 }, '4', false],
    ['uint256', { max: '0x10' }, 16, true],
    ['uint256', { max: '0x10' }, 17, false],
    ['uint256', { max: 1e21 }, '1000000000000000000001', false],
    ['uint256', { step: 3 }, 9, true],
    ['uint256', { step: 3 }, 10, false],
    ['uint256', { step: 3, min: 1 }, 10, true],
    ['uint256', { step: 3, min: 1 }, 9, false],
    ['uint256', { step: 0 }, 9, true],
    ['uint256', { step: 1.5 }, 9, true],
    ['string', { minLength: 2 }, 'é', true],
    ['string', { minLength: 3 }, 'é', false],
    ['string', { maxLength: 3 }, '✓', true],
    ['string', { maxLength: 2 }, '✓', false],
    ['dateTime', { maxLength: 4 }, '2026-11', false],
    ['string', { pattern: 'b+' }, 'abba', true],
    ['string', { pattern: '^b+$' }, 'abba', false],
    ['string', { pattern: '^\\d{4}-\\d{2}$' }, '2026-11', true],
    ['string', { pattern: '^\\u00e9$' }, 'é', true],
    ['string', { pattern: '(?<year>\\d+)/' }, '2026/', true],
    ['string', { pattern: '^.$' }, '😀', true],
    ['string', { pattern: '' }, 'anything', true],
    ['string', { pattern: '(?=a)b' }, 'not enforced', true],
    ['string', { pattern: '[' }, 'not enforced', true],
    ['string', { pattern: 5 }, 'not enforced', true],
    ['address', { pattern: '^0x[0-9a-f]+$' }, '0xde709f2102306220921060314715629080e2fb77', true],
    ['number', { min: 5 }, 4, true],
  ])('%s with %j takes %j: %s', (type, validation, value, fits) => {
    expect(checkOne({ type, validation, value })).toEqual(fits ? [] : ['values.a']);
  });

  test('half a character is refused, as no text could be stored for it', () => {
    expect(checkOne({ type: 'string', validation: {}, value: 'a\udc00' })).toEqual(['values.a']);
  });

  test.each([
    ['(a+)+$', `${'a'.repeat(100_000)}b`],
    ['(a|a)*b', 'a'.repeat(100_000)],
    ['(.*a){20}b', 'a'.repeat(100_000)],
    ['(a|aa|aaa|b){150}c', 'a'.repeat(100_000)],
  ])('the hostile pattern %s ends in a moment', (pattern, value) => {
    const work = () =>
      expect(checkOne({ type: 'string', validation: { pattern }, value })).toEqual(['values.a']);
    expect(busyMs(work)).toBeLessThan(5_000);
  });

  test('many fields share one budget for their patterns', () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `f${at}`);
    const validation = { pattern: '(a{99}){9}b' };
    const agreement = documentWithFields(
      Object.fromEntries(names.map((name) => [name, { type: 'string', validation }])),
    );
    const values = Object.fromEntries(names.map((name) => [name, 'a'.repeat(100)]));
    expect(check(values, { agreement, inputId: 'go' })).toHaveLength(maxIssues + 1);
    expect(busyMs(() => check(values, { agreement, inputId: 'go' }))).toBeLessThan(1_000);
  });
});
