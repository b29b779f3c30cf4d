import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureJson } from '../../../src/api/endpoint/measureJson.ts';

const measure = (text: string, most = 1_000_000) => measureJson(Buffer.from(text), most);

function count(value: unknown): { values: number; members: number; containers: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, members: 0, containers: 0 };
  const parts = Object.values(value).map(count);
  const sum = (name: 'values' | 'containers') => parts.reduce((all, part) => all + part[name], 1);
  const own = Array.isArray(value) ? 0 : parts.length;
  return {
    values: sum('values'),
    containers: sum('containers'),
    members: Math.max(own, ...parts.map(({ members }) => members)),
  };
}

test('no value and no member is missed, whatever texts hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat({ max: 2 }), (value, indent) => {
      const measured = measure(JSON.stringify(value, null, indent));
      const { values, members, containers } = count(value);
      expect(measured.values).toBeGreaterThanOrEqual(values);
      expect(measured.values).toBeLessThanOrEqual(values + containers);
      // Without a comma, the measure does not tell an empty object from one with one member.
      expect(Math.max(1, measured.members)).toBe(Math.max(1, members));
    }),
  );
});

test('a text counts once, with all that it quotes', () => {
  expect(measure(JSON.stringify({ a: '[{,"\\\\"}],'.repeat(1_000) })).values).toBe(2);
});

test('it ends at more values than the limit', () => {
  expect(measure('['.repeat(100_000), 10)).toEqual({ values: 11, members: 0 });
});
