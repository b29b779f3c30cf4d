import { expect, test } from 'vitest';
import { markdown } from '../../../console/src/markdown/parser.ts';
import { phraseTags, readPhrases } from '../../../console/src/markdown/phrases.ts';

/** The elements and texts of a paragraph; elements are in square brackets. */
function readParagraph(text: string): string {
  const [, inline] = markdown.parse(text, {});
  return readPhrases(inline?.children ?? [])
    .map(({ type, content }) => (type.startsWith('text') ? content : `[${type}]`))
    .join('');
}

test.each([
  ['<u>name</u> (Name)', '[u_open]name[u_close] (Name)'],
  ['<U>a</u><br>b<br/>c<br />d', '[u_open]a[u_close][hardbreak]b[hardbreak]c[hardbreak]d'],
  ['<u>a **b** <i>c</i></u>', '[u_open]a [strong_open]b[strong_close] [i_open]c[i_close][u_close]'],
  ['**<u>a</u>**', '[strong_open][u_open]a[u_close][strong_close]'],
  ['<u>begun', '<u>begun'],
  ['ended</u>', 'ended</u>'],
  ['<u>a <b>b</u> c</b>', '<u>a [b_open]b</u> c[b_close]'],
  ['<u>a **b</u>**', '<u>a [strong_open]b</u>[strong_close]'],
  ['**a <u>b** c</u>', '[strong_open]a <u>b[strong_close] c</u>'],
  ['<u onclick="x">a</u>', '<u onclick="x">a</u>'],
  ['<script>x</script><img src=x>', '<script>x</script><img src=x>'],
  ['`<u>a</u>`', '[code_inline]'],
  ['\\<u>a</u> &lt;u>b</u>', '<u>a</u> <u>b</u>'],
])('%s is read as %s', (text, read) => {
  expect(readParagraph(text)).toBe(read);
});

test.each(phraseTags)('%s formats a phrase', (tag) => {
  expect(readParagraph(`<${tag}>a</${tag}>`)).toBe(`[${tag}_open]a[${tag}_close]`);
});
