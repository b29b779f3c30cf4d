import { expect, test } from 'vitest';
import { answerRows } from '../../../src/cli/admin/answer.ts';

test('a table may have more rows than a function has arguments', () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => ({ id: `row ${at}`, at }));
  const lines = answerRows(rows, 'row').text.split('\n');
  expect(lines).toHaveLength(200_001);
  expect([lines[1], lines.at(-1)]).toEqual(['row 0       0', 'row 199999  199999']);
});
