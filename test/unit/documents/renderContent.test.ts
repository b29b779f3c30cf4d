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
    ['3. a\n4. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
    ['a\n\n---\n\nb', '<p>a</p>\n<hr />\n<p>b</p>'],
    ['```js\na < b\n```', '<pre><code>a &lt; b\n</code></pre>'],
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
    expect(render(`[a][${ref('v')}]\n\n[${ref('v')}]: https://a.example`, { v: 'x' })).toContain(
      'href="https://a.example/"',
    );
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
