import { expect, test } from 'vitest';
import { drawFacts, drawTable } from '../../../client/src/cli/table.ts';
import { plainLines, writeJson } from '../../../client/src/cli/terminal.ts';

const rows = [
  ['agr_0123456789abcdef', 'A very long name of an agreement', 'OPEN'],
  ['agr_1', 'Short', 'CLOSED'],
];
const draw = (columns: number | undefined, colours = false) =>
  drawTable({ columns, colours }, ['id', 'name', 'state'], rows);

test('a table fits into a narrow terminal, and is complete without a terminal', () => {
  for (const width of [80, 60, 40, 30])
    for (const line of draw(width).split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  expect(draw(30)).toContain('…');
  expect(draw(undefined)).toContain('A very long name of an agreement');
});

test('the column that identifies a row is never cut, and a narrow terminal shows fewer columns', () => {
  expect(draw(30)).toContain('agr_0123456789abcdef');
  expect(draw(30)).not.toContain('CLOSED');
  expect(draw(36)).toContain('CLOSED');
});

test('columns stay in line beside wide characters, and none is cut in two', () => {
  const names = ['租賃契約', 'ｱｲｳ', 'Bail 🚲', 'e\u0301te\u0301', '👩‍🚀', 'plain', 'ﾋﾞﾙ', '林　㈱', '㎡'];
  const drawn = drawTable(
    { columns: undefined, colours: false },
    ['name', 'state'],
    names.map((name) => [name, 'OPEN']),
  );
  // The widest name has eight columns; the joiner between two emoji became a space.
  const spaces = drawn
    .split('\n')
    .slice(1)
    .map((line) => / *(?=OPEN)/.exec(line)?.[0].length);
  expect(spaces).toEqual([2, 7, 3, 7, 5, 5, 7, 4, 8]);
  const cut = drawTable({ columns: 6, colours: false }, ['id', 'name'], [['1', '租賃契約的名稱']]);
  expect(cut).not.toMatch(/[\ud800-\udfff]/);
  const facts = drawFacts({ colours: false }, [
    ['名稱', 'a'],
    ['name', 'b'],
  ]);
  expect(facts).toBe('名稱  a\nname  b');
});

test('texts by others do not reach the terminal as commands', () => {
  const text = drawTable({ columns: undefined, colours: false }, ['name'], [['\u001b[31mred\u0007']]);
  expect(text).toBe('name\n [31mred');
});

test('names of variables, documents and JSON by others do not reach the terminal as commands either', () => {
  const facts = drawFacts({ colours: false }, [['\u001b]0;title\u0007', 'value\u009b31m']]);
  expect(facts).toBe(' ]0;title   value 31m');
  expect(plainLines('one\n\ttwo\u001b[2J\r\n')).toBe('one\n\ttwo⟨U+001B⟩[2J\r\n');
  const value = { name: 'a\u009b31m\u007f\u001b\u0085b\u2028c\u2029' };
  expect(writeJson(value)).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(writeJson(value))).toEqual(value);
});

test('a table has any number of rows', () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => [`agr_${at}`]);
  expect(drawTable({ columns: undefined, colours: false }, ['id'], rows).split('\n')).toHaveLength(200_001);
});
