import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tellValues } from '../../../src/api/mcp/meaning/tellValues.ts';

const value = fc.oneof(fc.string({ maxLength: 60, unit: 'binary' }), fc.boolean(), fc.nat().map(String));
const values = fc.dictionary(fc.string({ maxLength: 20 }), value, { maxKeys: 8 });

test('different values are told differently, on one line', () => {
  const asText = (given: object) =>
    JSON.stringify(Object.entries(given).map(([name, one]) => [name, String(one)]));
  fc.assert(
    fc.property(values, values, (one, other) => {
      expect(tellValues(one)).not.toMatch(/[\n\r\u2028\u2029]/);
      expect(tellValues(one) === tellValues(other)).toBe(asText(one) === asText(other));
    }),
  );
});

test('a value that changes in one character is told differently', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 100 }),
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 1 }),
      (text, at, by) => {
        const place = at % text.length;
        const changed = `${text.slice(0, place)}${by}${text.slice(place + 1)}`;
        expect(tellValues({ note: changed }) === tellValues({ note: text })).toBe(changed === text);
      },
    ),
  );
});

test('long values are cut and say how long they are; many are counted', () => {
  expect(tellValues({ note: 'x'.repeat(5_000) })).toBe(`"note" = "${'x'.repeat(200)}…" (of 5000 characters)`);
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`v${at}`, 'x']));
  expect(tellValues(many)).toMatch(/"v23" = "x" and 6 more in quotedValues$/);
  expect(tellValues({})).toBe('');
});
