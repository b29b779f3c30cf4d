import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerRows } from '../../../src/cli/admin/answer.ts';
import { printable, printableLine } from '../../../src/cli/admin/printable.ts';

const codes = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0);
const isControl = (code: number) => code < 0x20 || (code >= 0x7f && code < 0xa0);

test('no control character and no mark of direction is printed, whatever the text; lines stay', () => {
  const text = fc.string({
    unit: fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  });
  fc.assert(
    fc.property(text, (value) => {
      expect(codes(printableLine(value)).filter(isControl)).toEqual([]);
      expect(codes(printable(value)).filter((code) => isControl(code) && code !== 10)).toEqual([]);
    }),
  );
  expect(printable('a\u001b[2Jb\nc\u0085\u202e')).toBe('a\\u001b[2Jb\nc\\u0085\\u202e');
});

test('a JSON text stays the same value', () => {
  const value = { name: 'a\u007f\u009b31m\u2028', tab: '\t' };
  expect(JSON.parse(printable(JSON.stringify(value, null, 2)))).toEqual(value);
});

test('a cell of a table stays in its line', () => {
  const { text } = answerRows([{ name: 'a\nb\u001b[31m', url: 'https://x/\r' }], 'row');
  expect(text.split('\n')).toHaveLength(2);
  expect(text).toContain('a\\u000ab\\u001b[31m');
});
