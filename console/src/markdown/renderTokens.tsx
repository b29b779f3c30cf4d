import type { Token } from 'markdown-it';
import { type ComponentChildren, h, type VNode } from 'preact';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { phraseTags, readPhrases, type TextToken } from './phrases.ts';
import { type Filling, Value } from './value.tsx';

/** Private-use characters stand for values during parsing. */
const mark = /\uE000(\d+)\uE001/;

export type Context = Filling & {
  /** The variables by the numbers of their marks. */
  readonly names: readonly string[];
};
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

/**
 * The elements of a Markdown text. No text becomes markup: each known kind of token and a few tags without attributes make
 * their own element, and everything else stays text. Everything that a token says is visible: also the number of a list's
 * item, the address and title of a link or image, and the first line of code.
 */
export function renderTokens(tokens: readonly Token[], context: Context): ComponentChildren[] {
  return renderAll(tokens, context);
}

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
  // An item of a list with numbers has its own number, which need not follow the one before.
  if (tag === 'li' && token.info !== '') {
    const isWide = token.info.length > 2;
    return h('li', { value: Number(token.info), ...(isWide && { class: 'wide' }) }, children);
  }
  if (tag !== 'a') return h(tag, {}, children);
  const href = fillUrl(String(token.attrGet('href') ?? ''), context);
  const link =
    href === undefined ? children : h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, children);
  return token.info === 'auto' ? link : [link, ...renderAddress(token, 'href', context)];
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
      return (
        <>
          {token.info.trim() !== '' && <p>{fill(token.info.trim(), context)}</p>}
          <pre>{fill(token.content, context)}</pre>
        </>
      );
    case 'code_block':
      return <pre>{fill(token.content, context)}</pre>;
    case 'image':
      // Pages load nothing from elsewhere: an image becomes its description.
      return [...fill(token.content, context), ...renderAddress(token, 'src', context)];
    default:
      return fill(token.content, context);
  }
}

/** The address and the title of a link or image, as text. */
function renderAddress(token: TextToken, name: 'href' | 'src', context: Context): ComponentChildren[] {
  const address = decodeMarks(String(token.attrGet(name) ?? ''));
  const title = String(token.attrGet('title') ?? '');
  return [' (', ...fill([address, title].filter((text) => text !== '').join(' '), context), ')'];
}

/** Text with values filled in, each isolated from the direction of the surrounding text. */
function fill(text: string, { names, ...filling }: Context): ComponentChildren[] {
  const parts = text.split(new RegExp(mark, 'g'));
  return parts.map((part, at): string | VNode => {
    // Entities come as the characters that they stand for.
    if (at % 2 === 0) return showUnseen(part);
    return <Value name={names[Number(part)] ?? ''} {...filling} />;
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
