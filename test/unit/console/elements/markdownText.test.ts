import { expect, test } from 'vitest';
import { readTemplate } from '../../../../console/src/markdown/readTemplate.ts';
import { renderTokens } from '../../../../console/src/markdown/renderTokens.tsx';
import { textOf } from './textOf.ts';

const values = { rent: '900', tenant: 'Ada' };

function render(template: string, unsigned: ReadonlySet<string> = new Set()) {
  const { tokens, names, isMissed } = readTemplate(template);
  return { isMissed, text: textOf(renderTokens(tokens, { names, values, unsigned })) };
}

const squeeze = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '');

/** Whether a text has all characters of another one in their order. */
function holdsInOrder(text: string, wanted: string): boolean {
  let at = -1;
  return [...wanted].every((character) => {
    at = text.indexOf(character, at + 1);
    return at !== -1;
  });
}

/** Texts in which Markdown itself shows less than was written, or something else. */
const corpus = {
  'a comment as a definition': '[//]: # (Clause 7: the tenant also pays 10,000.)',
  'a definition with a title': "[c8]: <x> 'Clause 8: the tenant\nwaives every right.'",
  'a definition twice': '[a]: x "Clause 1"\n[a]: y "Clause 2"\n\n[a]',
  'a label of a link': '[text][Clause 9 is void]\n\n[Clause 9 is void]: https://a.example',
  'the first line of code': '```Clause 9: interest is 40 percent\nshown\n```',
  'the first line of code with waves': '~~~ Clause 9\nshown\n~~~',
  'a list that begins at seven': '7. Seventh\n8. Eighth',
  'a list that leaves out a number': '1. First\n3. Third\n10. Tenth',
  'the title of a link': '[a](https://a.example "Clause 9: the tenant pays")',
  'the address of a link': '[a](<Clause 9: the tenant pays>)',
  'the address and title of an image': '![a *wall*](Clause-9 "and the tenant pays")',
  'a comment of HTML': 'a <!-- Clause 9 --> b\n\n<!--\nClause 10\n-->',
  'attributes of HTML': '<b title="Clause 9">a</b> <p hidden>Clause 10</p>',
  'an address in angle brackets': '<https://a.example/Clause-9>',
};

test.each(Object.entries(corpus))('%s is visible', (_what, template) => {
  const { isMissed, text } = render(template);
  expect(isMissed).toBe(false);
  expect(holdsInOrder(squeeze(text), squeeze(template))).toBe(true);
});

test.each([
  ['surplus cells of a table', '| a | b |\n|---|---|\n| 1 | 2 | Clause 9 |'],
  ['what is nested too deeply', `${'> '.repeat(120)}Clause 9`],
])('a text is shown as written if Markdown leaves out %s', (_what, template) => {
  expect(render(template).isMissed).toBe(true);
});

test.each([
  ['# Lease\n\nThe rent is **100** &copy; a\\*b `c` ~~d~~\n\n- a\n- b\n\n> c\n\n---\n\n1. x\n   1. y'],
  ['| a | b |\n|:--|--:|\n| 1 | 2 |\n| 3 |'],
  [
    `[mail](mailto:a@b.example?subject=x%20y) <u>\${variables.tenant}</u> [\${variables.rent}](\${variables.tenant})`,
  ],
  ['a<br>b  \nc\nd\n=\n\n    code\n\n```js\ncode\n```'],
  ['<a@b.example> [ü](https://a.example/ß "ß")'],
])('an ordinary text is not missed: %j', (template) => {
  expect(render(template).isMissed).toBe(false);
});

test('characters that reverse a text are visible, also from entities and in values', () => {
  expect(render('Rent \u202e901 &#x202E;109').text).toBe('Rent ⟨U+202E⟩901 ⟨U+202E⟩109');
  const { tokens, names } = readTemplate(`Rent: \${variables.rent}`);
  const filling = { names, values: { rent: '\u202e901' }, unsigned: new Set<string>() };
  expect(textOf(renderTokens(tokens, filling))).toBe('Rent: ⟨U+202E⟩901');
});

test('a value that nobody signs is marked', () => {
  expect(render(`\${variables.tenant} pays \${variables.rent}.`, new Set(['rent'])).text).toBe(
    'Ada pays 900 (not signed).',
  );
});

test('items of a list keep their numbers', () => {
  expect(render(corpus['a list that leaves out a number']).text.replace(/\s+/g, ' ')).toContain(
    '1. First3. Third10. Tenth',
  );
});
