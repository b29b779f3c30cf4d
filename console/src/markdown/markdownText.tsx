import type { Token } from 'markdown-it';
import { type ComponentChildren, h, type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { markdown } from './parser.ts';
import { phraseTags, readPhrases, type TextToken } from './phrases.ts';
import { splitReferences } from './splitReferences.ts';
import { Value } from './value.tsx';

/** Private-use characters stand for values during parsing, so that no value is ever read as Markdown. */
const mark = /\uE000(\d+)\uE001/;

type Values = Readonly<Record<string, unknown>>;
type MarkdownTextProps = { readonly template: string; readonly values: Values };

/**
 * A text in Markdown, with values in place of variables. No text becomes markup: each known kind of token and
 * a few tags without attributes make their own element, and everything else stays text.
 */
export function MarkdownText({ template, values }: MarkdownTextProps) {
  const { tokens, names } = useMemo(() => readTokens(template), [template]);
  return (
    <div class="prose" dir="auto">
      {renderAll(tokens, { names, values })}
    </div>
  );
}

function readTokens(template: string): { tokens: readonly Token[]; names: readonly string[] } {
  const names: string[] = [];
  const marked = splitReferences(template.replace(/[\uE000\uE001]/g, ''))
    .map((part, at) => (at % 2 === 0 ? part : `\uE000${names.push(part) - 1}\uE001`))
    .join('');
  return { tokens: markdown.parse(marked, {}), names };
}

type Context = { readonly names: readonly string[]; readonly values: Values };
type Frame = { readonly tag: string; readonly token: TextToken; readonly children: ComponentChildren[] };

const tags: Readonly<Record<string, string>> = {
  paragraph: 'p',
  bullet_list: 'ul',
  ordered_list: 'ol',
  list_item: 'li',
  blockquote: 'blockquote',
  ...Object.fromEntries(phraseTags.map((tag) => [tag, tag])),
  table: 'table',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
};

function renderAll(tokens: readonly TextToken[], context: Context): ComponentChildren[] {
  const root: ComponentChildren[] = [];
  const frames: Frame[] = [];
  const add = (child: ComponentChildren) => (frames.at(-1)?.children ?? root).push(child);
  for (const token of tokens) {
    if (token.type.endsWith('_open')) {
      frames.push({ tag: findTag(token), token, children: [] });
    } else if (token.type.endsWith('_close')) {
      const frame = frames.pop();
      if (frame) add(close(frame, context));
    } else add(renderLeaf(token, context));
  }
  return root;
}

/** Headings of a text are below those of the page. */
function findTag({ type }: TextToken): string {
  const name = type.slice(0, -'_open'.length);
  if (name === 'heading') return 'h3';
  if (name === 'link') return 'a';
  return tags[name] ?? 'div';
}

function close({ tag, token, children }: Frame, context: Context): ComponentChildren {
  if (token.hidden) return children;
  if (tag !== 'a') return h(tag, {}, children);
  const href = fillUrl(String(token.attrGet('href') ?? ''), context);
  if (href === undefined) return children;
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, children);
}

function renderLeaf(token: TextToken, context: Context): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return renderAll(readPhrases(token.children ?? []), context);
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br />;
    case 'hr':
      return <hr />;
    case 'code_inline':
      return <code>{fill(token.content, context)}</code>;
    case 'fence':
    case 'code_block':
      return <pre>{fill(token.content, context)}</pre>;
    case 'image':
      // Pages load nothing from elsewhere: an image becomes its description.
      return fill(token.content, context);
    default:
      return fill(token.content, context);
  }
}

/** Text with values filled in, each isolated from the direction of the surrounding text. */
function fill(text: string, { names, values }: Context): ComponentChildren[] {
  const parts = text.split(new RegExp(mark, 'g'));
  return parts.map((part, at): string | VNode => {
    if (at % 2 === 0) return part;
    return <Value name={names[Number(part)] ?? ''} values={values} />;
  });
}

/** Undefined for anything but a web or mail address with all values known. */
function fillUrl(url: string, { names, values }: Context): string | undefined {
  let isKnown = true;
  const filled = decodeMarks(url).replace(new RegExp(mark, 'g'), (_, number: string, offset: number) => {
    const name = names[Number(number)] ?? '';
    const value = Object.hasOwn(values, name) ? String(values[name]) : undefined;
    if (value === undefined) isKnown = false;
    return offset === 0 ? (value ?? '') : encodeURIComponent((value ?? '').toWellFormed());
  });
  return isKnown && /^(https?:\/\/|mailto:)/i.test(filled) ? filled : undefined;
}

/** Addresses come with non-ASCII characters percent-encoded. */
function decodeMarks(url: string): string {
  return url.replaceAll('%EE%80%80', '\uE000').replaceAll('%EE%80%81', '\uE001');
}
