import { describe, expect, test } from 'vitest';
import { renderContent } from '../../../src/api/documents/renderContent.ts';
import type { WireValues } from '../../../src/protocol/index.ts';

const ref = (name: string) => `\${variables.${name}}`;

function render(template: string, values: WireValues = {}, contentType = 'md'): string {
  return renderContent({ contentType, template }, values).html.trim();
}

describe('Markdown', () => {
  test.each([
    ['# One\n\n## Two', '<h1>One</h1>\n<h2>Two</h2>'],
    ['**a** *b* ~~c~~ `d`', '<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>'],
    ['<u>a</u> H<sub>2</sub>O <mark>b</mark>', '<p><u>a</u> H<sub>2</sub>O <mark>b</mark></p>'],
    ['- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
    ['3. a\n4. b', '<ol start="3">\n<li value="3">a</li>\n<li value="4">b</li>\n</ol>'],
    ['> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
    ['a\n\n---\n\nb', '<p>a</p>\n<hr />\n<p>b</p>'],
    ['```js\na < b\n```', '<p>js</p>\n<pre><code>a &lt; b\n</code></pre>'],
    ['a & b &copy; "c"', '<p>a &amp; b © "c"</p>'],
  ])('%j is rendered', (template, html) => {
    expect(render(template)).toBe(html);
  });

  test('has tables whose cells are aligned without a style', () => {
    expect(render('| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |')).toBe(
      `<table>
<thead>
<tr>
<th class="left">a</th>
<th class="center">b</th>
<th class="right">c</th>
</tr>
</thead>
<tbody>
<tr>
<td class="left">1</td>
<td class="center">2</td>
<td class="right">3</td>
</tr>
</tbody>
</table>`,
    );
  });

  test('has links without a referrer', () => {
    expect(render('[a](https://agreements.example/x?a=1&b=2 "t")')).toBe(
      '<p><a href="https://agreements.example/x?a=1&amp;b=2" rel="noopener noreferrer nofollow">a</a></p>',
    );
    expect(render('<a@agreements.example>')).toContain('href="mailto:a@agreements.example"');
  });

  test.each([
    ['[a](/x)'],
    ['[a](#x)'],
    ['[a](//agreements.example)'],
    ['[a](ftp://agreements.example)'],
    ['[a](tel:123)'],
    ['[a](https://user@agreements.example)'],
    ['[a](https://agreements.example@hostile.example)'],
    ['<a href="javascript:x">a</a>'],
    ['<a name=x>a</a>'],
  ])('shows the words alone of a link that leads nowhere to be shown: %s', (template) => {
    expect(render(template)).toBe('<p><span>a</span></p>');
  });

  test('shows images as their descriptions', () => {
    expect(render('![A *wall*](https://agreements.example/x.png) <img alt="<b>raw">')).toBe(
      '<p><span class="image">Image: A wall</span> <span class="image">Image: &lt;b&gt;raw</span></p>',
    );
    expect(render('![](x.png)')).toBe('<p><span class="image">Image</span></p>');
  });

  test('keeps the words of elements that are not allowed, without the elements', () => {
    expect(render('<section id=x><center onclick=y>a</center> <font color=red>b</font></section>')).toBe(
      'a b',
    );
  });
});

describe('text in an element such as a script', () => {
  test.each([
    ['a <script>b</script> c', 'a  c'],
    ['a <style>b</style> c', 'a  c'],
    ['a <iframe>b</iframe> c', 'a  c'],
    ['a <svg><text>b</text></svg> c', 'a  c'],
  ])('is left out, and it is said so: %s', (template, text) => {
    expect(renderContent({ contentType: 'html', template }, {})).toEqual({ html: text, isCut: true });
  });

  test('is all that is left out', () => {
    expect(renderContent({ contentType: 'md', template: '# a <u>b</u> <i>c</i>' }, {}).isCut).toBe(false);
  });
});

describe('what a page does not show', () => {
  const isCut = (template: string, contentType = 'md') =>
    renderContent({ contentType, template }, { v: 'x' }).isCut;

  test.each([
    ['a comment', 'a <!-- Clause 9 --> b'],
    ['a comment as a block', '<!--\nClause 9\n-->'],
    ['a declaration', '<!CLAUSE 9>'],
    ['an instruction', '<?clause 9?>'],
    ['an attribute', '<b title="Clause 9">a</b>'],
    ['the name of an attribute', '<b clause-9>a</b>'],
    ['an attribute that is no format', '<li value="Clause 9">a</li>'],
    ['an element of another name', '<clause9>a</clause9>'],
    ['an end tag of another name', '<b>a</b></clause9>'],
    ['the title of a link', '[a](https://a.example "Clause 9")'],
    ['the address of a link that leads nowhere', '[a](<Clause 9>)'],
    ['the address of an image', '![a](clause-9)'],
    ['surplus cells of a table', '| a |\n|---|\n| 1 | Clause 9 |'],
  ])('is said: %s', (_what, template) => {
    expect(isCut(template)).toBe(true);
  });

  test.each([
    ['text in an end tag', '<b>a</b clause 9>'],
    ['a tag that does not end', 'a <b clause 9'],
    ['an end that ends nothing', 'a </ clause 9> b'],
  ])('is said of HTML: %s', (_what, template) => {
    expect(isCut(template, 'html')).toBe(true);
  });

  test.each([
    ['# a <u>b</u> &copy; <br> \\* `<!-- c -->`'],
    ['| a | b |\n|:--|--:|\n| 1 | 2 |'],
    ['3. a\n7. b\n\n[a](https://a.example/b%20c) <https://a.example>'],
    [`[\${variables.v}](https://a.example/\${variables.v})`],
    ['<ol start="3"><li value="4">a</li></ol><table><tr><td colspan="2" align="right">b</td></tr></table>'],
  ])('is nothing of %j', (template) => {
    expect(isCut(template)).toBe(false);
  });

  test.each([
    ['[//]: # (Clause 9: the tenant pays.)'],
    ["[c]: x 'Clause 9\nis void.'"],
    ['```Clause 9: interest\ncode\n```'],
    ['[text][Clause 9]\n\n[Clause 9]: https://a.example'],
  ])('is no part of %j, of which Markdown shows less', (template) => {
    const { html, isCut } = renderContent({ contentType: 'md', template }, {});
    expect(isCut).toBe(false);
    for (const word of template.match(/[\p{L}\p{N}]+/gu) ?? []) expect(html).toContain(word);
  });

  test('are no numbers of lists', () => {
    expect(render('99. a\n100. b')).toBe(
      '<ol start="99" class="wide">\n<li value="99">a</li>\n<li value="100" class="wide">b</li>\n</ol>',
    );
    expect(render('7. a\n9. b')).toBe('<ol start="7">\n<li value="7">a</li>\n<li value="9">b</li>\n</ol>');
  });

  test.each([['md'], ['html'], ['text']])('are no characters that reverse a text: %s', (contentType) => {
    const html = render(`a \u202e901 ${ref('v')}`, { v: '\u202e5' }, contentType);
    expect(html).toContain('a ⟨U+202E⟩901 <bdi>⟨U+202E⟩5</bdi>');
    if (contentType !== 'text') expect(render('&#x202e;901', {}, contentType)).toContain('⟨U+202E⟩901');
  });
});

describe('a value', () => {
  test('is never read as Markdown or HTML', () => {
    const value = '**a** <b>b</b> [c](https://d.example) `e` | f\n\n# g';
    const shown = '<bdi>**a** &lt;b&gt;b&lt;/b&gt; [c](https://d.example) `e` | f\n\n# g</bdi>';
    expect(render(`x ${ref('v')} y`, { v: value })).toBe(`<p>x ${shown} y</p>`);
    expect(render(`| a |\n|---|\n| ${ref('v')} |`, { v: value })).toContain(`<td>${shown}</td>`);
    expect(render(`\`${ref('v')}\``, { v: value })).toBe(`<p><code>${shown}</code></p>`);
    expect(render(`# **${ref('v')}**`, { v: value })).toBe(`<h1><strong>${shown}</strong></h1>`);
    expect(render(ref('v'), { v: value }, 'html')).toBe(shown);
  });

  test('begins no list, heading or quotation at the start of a line', () => {
    expect(render(`${ref('v')}. a`, { v: '1' })).toBe('<p><bdi>1</bdi>. a</p>');
    expect(render(`${ref('v')} a`, { v: '#' })).toBe('<p><bdi>#</bdi> a</p>');
  });

  test('appears in angle brackets as text', () => {
    expect(render(`<${ref('v')}>`, { v: 'Ada' })).toBe('<p>&lt;<bdi>Ada</bdi>&gt;</p>');
  });

  test('that is not known is marked by its name', () => {
    expect(render(`a ${ref('v')}`)).toBe('<p>a <bdi class="blank">[v]</bdi></p>');
  });

  test.each([
    ['https://a.example/?b=1&c=2', 'https://a.example/?b=1&amp;c=2'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
  ])('can be the address of a link: %s', (v, href) => {
    expect(render(`[a](${ref('v')})`, { v })).toContain(`<a href="${href}" rel=`);
    expect(render(`<a href="${ref('v')}">a</a>`, { v })).toContain(`<a href="${href}" rel=`);
  });

  test.each([['javascript:alert(1)'], ['data:text/html,x'], [' java\tscript:x'], ['/x'], ['']])(
    'that is no address to follow makes no link: %j',
    (v) => {
      expect(render(`[a](${ref('v')})`, { v })).toBe('<p><span>a</span></p>');
    },
  );

  test('stays part of the surrounding address', () => {
    const link = (template: string, v: string) =>
      /href="([^"]*)"/.exec(render(`[a](${template})`, { v }))?.[1];
    expect(link(`https://a.example/${ref('v')}/x`, '../b?c#d&"')).toBe(
      'https://a.example/..%2Fb%3Fc%23d%26%22/x',
    );
    expect(link(`https://a.example${ref('v')}`, '@hostile.example')).toBeUndefined();
    expect(link(`https://a.example/?b=${ref('v')}`, '\ud800')).toBe('https://a.example/?b=%EF%BF%BD');
  });

  test('that is not known makes no link', () => {
    expect(render(`[a](https://a.example/${ref('v')})`)).toBe('<p><span>a</span></p>');
  });

  test('names a link if the author does', () => {
    expect(render(`[${ref('v')}](https://a.example)`, { v: '](x)' })).toContain('"><bdi>](x)</bdi></a>');
  });
});

describe('a text that is neither Markdown nor HTML', () => {
  test.each([['text'], ['rtf'], ['']])('is shown as written: %s', (contentType) => {
    expect(render(`# a\n  <b>${ref('v')}</b>`, { v: '<i>' }, contentType)).toBe(
      '<div class="plain"># a\n  &lt;b&gt;<bdi>&lt;i&gt;</bdi>&lt;/b&gt;</div>',
    );
  });
});

describe('limits', () => {
  test('elements that nest too deeply lose their tags, not their text', () => {
    const html = render(`${'<div>'.repeat(200)}deep${'</div>'.repeat(200)}`, {}, 'html');
    expect(html.match(/<div>/g)?.length).toBeLessThanOrEqual(40);
    expect(html).toContain('deep');
  });

  test('cells span no more than there is use for', () => {
    expect(render('<table><tr><td colspan=1000000 rowspan=3>a</td></tr></table>', {}, 'html')).toBe(
      '<table><tr><td rowspan="3">a</td></tr></table>',
    );
  });
});
