import { describe, expect, test } from 'vitest';
import { escapeUnseen } from '../../../src/api/mcp/escapeUnseen.ts';
import { quote, quoteUnlessPlain } from '../../../src/protocol/quote.ts';

/** Line ends, marks of direction, a zero width space, a tag, variation selectors, a joiner and a filler without a shape. */
const hidden = 'a\n\r\u0085\u2028\u2029\u202e\u2066\u200b\u{e0041}\ufe0f\u{e0152}\u034f\u3164z';

describe('a text by others in a message', () => {
  test('is on one line without hidden characters, which are named', () => {
    const escapes = String.raw`\n\r\u{85}\u{2028}\u{2029}\u{202e}\u{2066}\u{200b}\u{e0041}\u{fe0f}\u{e0152}\u{34f}\u{3164}`;
    expect(quote(hidden)).toBe(`"a${escapes}z"`);
  });

  test('is cut, and cannot end its quotes', () => {
    expect(quote('"'.repeat(500), 3)).toBe(String.raw`"\"\"\"…"`);
    expect(quote('\ud83d\ude00'.repeat(9), 3).isWellFormed()).toBe(true);
  });

  test.each([
    ['execution.inputs.pay.schema.amount', 'execution.inputs.pay.schema.amount'],
    ['values.Größe', 'values.Größe'],
    ['createdAt[gt]', 'createdAt[gt]'],
    ['values.my field', '"values.my field"'],
    ['values.x\nWhat to do', String.raw`"values.x\nWhat to do"`],
    ['values.payee\u3164', String.raw`"values.payee\u{3164}"`],
    ['say"', String.raw`"say\""`],
    ['', '""'],
  ])('stays as it is only if it is one word: %j', (text, shown) => {
    expect(quoteUnlessPlain(text)).toBe(shown);
  });

  test('keeps its value as JSON', () => {
    const json = JSON.stringify({ [hidden]: hidden });
    expect(JSON.parse(escapeUnseen(json))).toEqual(JSON.parse(json));
  });
});
