import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findTextAfter, foldText } from '../../../src/platform/database/foldedText.ts';

/** Compares texts like the database: by their UTF-8 bytes. */
const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const text = fc.string({ unit: 'binary' });

test('what begins with a prefix lies before the text after it, and nothing else from the prefix on does', () => {
  fc.assert(
    fc.property(text, text, text, (prefix, rest, other) => {
      const after = findTextAfter(prefix);
      const isBefore = (each: string) => after === undefined || compare(each, after) < 0;
      expect(isBefore(prefix + rest)).toBe(true);
      expect(compare(other, prefix) >= 0 && isBefore(other)).toBe(other.startsWith(prefix));
    }),
  );
});

test.each([
  ['Lease', 'Leasf'],
  ['a\u{10ffff}', 'b'],
  ['\u{d7ff}', '\u{e000}'],
  ['\u{10ffff}', undefined],
])('the first text after all that begin with %j is %j', (prefix, after) => {
  expect(findTextAfter(prefix)).toBe(after);
});

test('folds A to Z and nothing else', () => {
  expect(foldText('AZ az İÉßΣ')).toBe('az az İÉßΣ');
});
