import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitAnswer } from '../../../src/api/mcp/fitAnswer.ts';
import { fenceText, quoteName } from '../../../src/api/mcp/quotedData.ts';

const typesOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, typesOf(member)]));
};

describe('an answer that is too long', () => {
  test('keeps its size and the types of its members, whatever is in it', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.string({ maxLength: 3_000 }),
        fc.integer(),
        fc.array(tie('any'), { maxLength: 60 }),
        fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), tie('any'), { maxKeys: 15 }),
      ),
    })).any;
    const answer = fc.record({ first: value, second: value });
    fc.assert(
      fc.property(answer, (made) => {
        const { answer: fitted, omitted } = fitAnswer(made, 4_000);
        const isWhole = JSON.stringify(fitted) === JSON.stringify(made);
        expect(omitted.length > 0).toBe(!isWhole);
        expect(Object.keys(fitted)).toEqual(['first', 'second']);
        for (const name of ['first', 'second'] as const)
          if (typeof made[name] !== 'object') expect(typesOf(fitted[name])).toEqual(typesOf(made[name]));
      }),
      { numRuns: 200 },
    );
  });

  test('loses its longest texts first, and says which', () => {
    const made = { short: 'as it is', long: 'x'.repeat(50_000), list: [1, 2, 3] };
    const { answer, omitted } = fitAnswer(made, 5_000);
    expect(answer).toMatchObject({ short: 'as it is', list: [1, 2, 3] });
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(5_000);
    expect(omitted).toEqual([expect.stringMatching(/^long: \d+ of 50000 characters$/)]);
  });

  test('keeps members that are useless in part', () => {
    const nextCursor = 'c'.repeat(900);
    const { answer } = fitAnswer({ nextCursor, agreements: ['y'.repeat(9_000)] }, 2_000);
    expect(answer.nextCursor).toBe(nextCursor);
  });
});

describe('texts by others', () => {
  test('stay in one line and in quotes if they are names', () => {
    const parts = fc.constantFrom('"', '\\', '\n', '\r', '\u2028', '\u2029', '\0', '\ud800', 'a', '💥');
    const names = fc.array(parts, { maxLength: 300 }).map((list) => list.join(''));
    fc.assert(
      fc.property(names, (name) => {
        const quoted = quoteName(name);
        expect(quoted).toMatch(/^"(?:[^"\\\n\r\u2028\u2029]|\\.)*"$/);
        expect(quoted.length).toBeLessThan(1_000);
      }),
    );
  });

  test('is fenced by lines that differ each time', () => {
    const [one, other] = [fenceText('x'), fenceText('x')];
    expect(one).not.toBe(other);
    expect(one.split('\n')).toHaveLength(3);
  });
});
