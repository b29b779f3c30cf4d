import { describe, expect, test } from 'vitest';
import { buildPage, buildPlainPage } from '../../../src/api/documents/buildPage.ts';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { hostilePayloads } from '../../support/hostilePayloads.ts';
import { sampleDocument } from '../../support/sampleDocument.ts';
import { isBalanced, readMarkup } from './support/readMarkup.ts';

/** The elements that a page's text may contain, and their attributes with the allowed values. */
const formatting =
  `h1 h2 h3 h4 h5 h6 p div blockquote pre hr ul ol li dl dt dd table caption thead tbody tfoot tr th td a abbr b
  br cite code del em i ins kbd mark q s samp small span strong sub sup u var bdi`.split(/\s+/);
const attributes: Record<string, RegExp> = {
  'a href': /^(?:https?:\/\/|mailto:)/,
  'a rel': /^noopener noreferrer nofollow$/,
  'ol start': /^\d+$/,
  'li value': /^\d+$/,
  'td class': /^(?:left|center|right)$/,
  'th class': /^(?:left|center|right)$/,
  'td colspan': /^\d{1,3}$/,
  'td rowspan': /^\d{1,3}$/,
  'span class': /^image$/,
  'bdi class': /^blank$/,
  'div class': /^plain$/,
};

/**
 * Splits a page into its text and the frame around it. Removes the name from the frame, because the frame
 * must not depend on the content.
 */
function splitPage(page: string, displayName: string) {
  const escaped = showUnseen(displayName)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
  const unnamed = page
    .replace(`<title>${escaped}</title>`, () => '<title></title>')
    .replace(`<p class="name"><bdi>${escaped}</bdi></p>`, () => '<p class="name"></p>')
    .replace(/<p class="note" role="note">[^<]*<\/p>\n/, '');
  const start = unnamed.indexOf('<main lang="">\n');
  const end = unnamed.lastIndexOf('\n</main>\n<footer>');
  return { frame: unnamed.slice(0, start) + unnamed.slice(end), text: unnamed.slice(start + 15, end) };
}

const { frame: expectedFrame } = splitPage(buildPage(sampleDocument()), sampleDocument().displayName);

function expectHarmless(page: string, displayName = sampleDocument().displayName): void {
  const { frame, text } = splitPage(page, displayName);
  expect(frame).toBe(expectedFrame);
  const { tags, rest } = readMarkup(text);
  expect(rest).not.toMatch(/[<>]/);
  expect(isBalanced(tags)).toBe(true);
  for (const { name, attributes: found } of tags) {
    expect(formatting).toContain(name);
    for (const [key, value] of Object.entries(found))
      expect(value).toMatch(attributes[`${name} ${key}`] ?? /^$/);
  }
}

const value = `\${variables.value}`;

/** All places of a document that can contain a value. */
const places = [
  `a ${value} b`,
  value,
  `# \${variables.value.value}`,
  `- ${value}\n- **${value}**`,
  `| a | b |\n|---|---|\n| ${value} | \`${value}\` |`,
  `\`\`\`\n${value}\n\`\`\`\n\n    ${value}`,
  `\`\`\`${value}\ncode\n\`\`\``,
  `[${value}](https://agreements.example "${value}")`,
  `[link](${value})`,
  `[link](https://agreements.example/${value})`,
  `[link][r]\n\n[r]: ${value} "${value}"`,
  `![${value}](${value})`,
  `<${value}>`,
  `<u>${value}</u> <b title="${value}">x</b> <${value} x>`,
  `<a href="${value}">x</a> <a href=${value}>x</a>`,
  `<td align="${value}" colspan=${value}>x</td>`,
  `<script>${value}</script><!-- ${value} -->`,
  `&${value}; &#${value};`,
  `\\${value}\\`,
].join('\n\n');

describe.each(hostilePayloads)('%s', (payload) => {
  test('does no harm as a document', () => {
    for (const contentType of ['md', 'html', 'text', 'svg'])
      for (const template of [payload, `| a |\n|---|\n| ${payload} |`, `> - <u>${payload}`])
        expectHarmless(buildPage(sampleDocument({ contentType, template })));
  });

  test('does no harm as the value of a variable', () => {
    const values = { value: payload, inner: '<script>window.hit=1</script>' };
    for (const contentType of ['md', 'html', 'text'])
      expectHarmless(buildPage(sampleDocument({ contentType, template: places, values })));
  });

  test('does no harm as a display name', () => {
    expectHarmless(buildPage(sampleDocument({ displayName: payload })), payload);
  });

  test('does no harm in a page of plain text', () => {
    const document = sampleDocument({ template: payload, displayName: payload });
    expectHarmless(buildPlainPage(document), payload);
  });
});
