import sanitizeHtml from 'sanitize-html';
import { showUnseen } from '../../protocol/showUnseen.ts';
import { hasHiddenAttribute, hasHiddenText } from './hiddenMarkup.ts';

/** Fills the gaps of a sanitised text: see `MarkedTemplate`. */
export type Filling = {
  fillText(escaped: string): string;
  fillUrl(url: string): string | undefined;
};

export type SanitizedContent = {
  readonly html: string;
  /** Whether a text was left out: in an element such as a script, in a comment, or in an attribute. */
  readonly isCut: boolean;
};

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const blocks = ['p', 'div', 'blockquote', 'pre', 'hr', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'];
const tables = ['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'];
const phrases = ['a', 'abbr', 'b', 'br', 'cite', 'code', 'del', 'em', 'i', 'ins', 'kbd', 'mark', 'q', 's'];
const morePhrases = ['samp', 'small', 'span', 'strong', 'sub', 'sup', 'u', 'var'];

/** Elements whose text is not for readers; of all other forbidden elements, the text stays. */
const textless = [
  ...['script', 'style', 'template', 'title', 'textarea', 'select', 'option', 'iframe', 'object', 'embed'],
  ...['noscript', 'noembed', 'noframes', 'xmp', 'plaintext', 'svg', 'math', 'audio', 'video', 'canvas'],
];
/** Elements that only structure a text. They lose their tags, and a reader misses nothing. */
const structure = [
  'html',
  'head',
  'body',
  'section',
  'article',
  'header',
  'footer',
  'main',
  'center',
  'font',
  'img',
];
const allowedTags = [...headings, ...blocks, ...tables, ...phrases, ...morePhrases];
const known: ReadonlySet<string> = new Set([...allowedTags, ...structure]);
const protocols = ['http:', 'https:', 'mailto:'];

/** Deeper elements lose their tags: browsers are slow with deep nesting. */
const maxDepth = 40;
const maxSpan = 100;

/**
 * HTML reduced to a fixed list of elements for plain formatting, without any attribute that could load, run
 * or disguise something, and with the gaps filled. Images become their descriptions.
 */
export function sanitizeContent(dirty: string, { fillText, fillUrl }: Filling): SanitizedContent {
  let isCut = hasHiddenText(dirty, (name) => known.has(name));
  const html = sanitizeHtml(dirty, {
    allowedTags,
    allowedAttributes: {
      a: ['href', 'rel'],
      ol: ['start', 'class'],
      li: ['value', 'class'],
      th: ['colspan', 'rowspan', 'class'],
      td: ['colspan', 'rowspan', 'class'],
      span: ['class'],
    },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    parseStyleAttributes: false,
    nonTextTags: textless,
    nestingLimit: maxDepth,
    onOpenTag: (name, attributes) => {
      isCut ||= !known.has(name) || hasHiddenAttribute(name, attributes);
    },
    // Entities come as the characters that they stand for.
    textFilter: (escaped) => fillText(showUnseen(escaped)),
    transformTags: {
      a: (_name, { href = '' }) => {
        const target = readLink(fillUrl(href));
        isCut ||= target === undefined && href !== '';
        return target === undefined
          ? { tagName: 'span', attribs: {} }
          : { tagName: 'a', attribs: { href: target, rel: 'noopener noreferrer nofollow' } };
      },
      img: (_name, { alt = '' }) => ({
        tagName: 'span',
        attribs: { class: 'image' },
        text: alt === '' ? 'Image' : `Image: ${alt}`,
      }),
      li: (tagName, { value }) => ({ tagName, attribs: readNumber('value', value, 100) }),
      ol: (tagName, { start }) => ({ tagName, attribs: readNumber('start', start, 10) }),
      td: readCell,
      th: readCell,
      span: (tagName) => ({ tagName, attribs: {} }),
    },
  });
  return { html, isCut };
}

/** Markdown tables align their cells by a style, which a strict page does not apply. */
function readCell(tagName: string, attributes: Record<string, string>) {
  const { colspan, rowspan, style, align } = attributes;
  const alignment = /^text-align:(left|center|right)$/.exec(style ?? '')?.[1] ?? align?.toLowerCase();
  return {
    tagName,
    attribs: {
      ...readSpan('colspan', colspan),
      ...readSpan('rowspan', rowspan),
      ...only('class', alignment, /^(?:left|center|right)$/),
    },
  };
}

function readSpan(name: string, value: string | undefined): Record<string, string> {
  return Number(value) <= maxSpan ? only(name, value, /^[1-9]\d*$/) : {};
}

/** The number of a list or of its item; one from `wide` on does not fit beside the text, and the style gives it room. */
function readNumber(name: string, value: string | undefined, wide: number): Record<string, string> {
  const attribute = only(name, value, /^\d{1,9}$/);
  return Number(attribute[name] ?? 0) >= wide ? { ...attribute, class: 'wide' } : attribute;
}

function only(name: string, value: string | undefined, pattern: RegExp): Record<string, string> {
  return value !== undefined && pattern.test(value) ? { [name]: value } : {};
}

/**
 * The address of a link as a browser reads it, if following it can only show another page or write a mail:
 * absolute, HTTP or mailto, and without a user name, which mostly serves to imitate another host.
 */
function readLink(href: string | undefined): string | undefined {
  const url = href === undefined ? null : URL.parse(href);
  if (!url || !protocols.includes(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  return url.href;
}
