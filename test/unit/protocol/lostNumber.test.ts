import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLostNumber } from '../../../src/protocol/lostNumber.ts';

test.each([
  ['more digits than a number holds', '12345678901234567890', '12345678901234567000'],
  ['one past 2^53', '-9007199254740993', '-9007199254740992'],
  ['a decimal with more digits', '0.10000000000000000001', '0.1'],
  ['too large', '1e400', 'null'],
  ['too large, and negative', '-1E+400', 'null'],
  ['too small', '0.1e-400', '0'],
])('a number that is read as another one is found: %s', (_what, text, read) => {
  expect(findLostNumber(`{"a": ["\\"1e400", 1, ${text}]}`)).toEqual({ offset: 21, read });
});

test.each([
  '0',
  '-0',
  '0.00',
  '0e5',
  '1.0',
  '1.50',
  '1E2',
  '100e-2',
  '1e21',
  '100000000000000000000000',
  '5e-324',
])('another spelling of the same number is none: %s', (text) => {
  expect(
    findLostNumber(`{"1e400": "1e400 \\\\", "b": ${text}, "c": [true, null, {"d": "\\" 1e400"}]}`),
  ).toBeUndefined();
});

test('no number that was written as JSON is lost', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(findLostNumber(JSON.stringify(JSON.parse(text)))).toBeUndefined();
    }),
  );
});

test('a long text and a long number are read', () => {
  const text = JSON.stringify({ a: 'x\\"1'.repeat(2_000_000) });
  expect(findLostNumber(text)).toBeUndefined();
  expect(findLostNumber(`[${'0.'.padEnd(500_000, '0')}1]`)).toMatchObject({ read: '0' });
  expect(findLostNumber(`[${'0.'.padEnd(500_000, '0')}]`)).toBeUndefined();
  expect(findLostNumber(`[1.${''.padEnd(500_000, '0')}1]`)).toMatchObject({ read: '1' });
});
