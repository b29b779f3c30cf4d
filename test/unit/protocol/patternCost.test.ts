import { expect, test } from 'vitest';
import { estimatePatternCost } from '../../../src/protocol/patternCost.ts';

/** Time that grows with the square of such a length would be minutes. */
const many = 200_000;

test.each([
  ['classes', '['.repeat(many), many],
  ['classes with escaped ends', '[\\]'.repeat(many), 2 * many],
  ['named classes', '\\p{'.repeat(many), 2 * many],
  ['codes', '\\x{'.repeat(many), 2 * many],
  ['repetitions', `{${'1'.repeat(many)}`, many + 1],
])('unclosed %s are counted one by one, in linear time', (_, pattern, instructions) => {
  expect(estimatePatternCost(pattern).instructions).toBe(instructions);
});

test.each([
  ['abc', 3],
  ['[abc]d', 2],
  ['[]a]', 1],
  ['[^]a]', 1],
  ['[[:alpha:]_]+', 2],
  ['[[:alpha:]', 1],
  ['[a\\]b]', 1],
  ['[a][b', 3],
  ['a[b]\\]', 3],
  ['\\p{L}\\x{1F600}', 2],
  ['\\p{L}\\p{', 3],
  ['\\]]', 2],
  ['a{3}', 3],
  ['a{2,}', 4],
  ['a{2,5}', 8],
  ['(ab){2}', 8],
  ['a{2', 3],
])('the items of %s are counted', (pattern, instructions) => {
  expect(estimatePatternCost(pattern).instructions).toBe(instructions);
});
