import MarkdownIt from 'markdown-it';
import type { WireValues } from '../../protocol/index.ts';
import { splitTemplate } from '../../records/documents/fillTemplate.ts';
import type { Content } from './content.ts';
import { escapeHtml } from './escapeHtml.ts';
import { markTemplate } from './marks.ts';
import { type SanitizedContent, sanitizeContent } from './sanitizeContent.ts';

/** Raw HTML passes, since authors underline with it; what is not plain formatting goes out with the sanitising. */
const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false });

/**
 * What a reader sees of an agreement's text, as sanitised HTML: Markdown and HTML rendered, anything else as it is written.
 * The time that it takes is not bounded: there are texts of half a megabyte that take many seconds.
 */
export function renderContent({ contentType, template }: Content, values: WireValues): SanitizedContent {
  const marked = markTemplate(splitTemplate(template, values));
  switch (contentType) {
    case 'md':
      return sanitizeContent(markdown.render(marked.text), marked);
    case 'html':
      return sanitizeContent(marked.text, marked);
    default:
      return { html: writePlain(marked.fillText(escapeHtml(marked.text))), isCut: false };
  }
}

/** Escaped text with its lines and spaces as they are. */
export function writePlain(escaped: string): string {
  return `<div class="plain">${escaped}</div>`;
}
