import MarkdownIt from 'markdown-it';
import type { WireValues } from '../../protocol/index.ts';
import { splitTemplate } from '../../records/documents/fillTemplate.ts';
import type { Content } from './content.ts';
import { escapeHtml } from './escapeHtml.ts';
import { markTemplate } from './marks.ts';
import { type SanitizedContent, sanitizeContent } from './sanitizeContent.ts';

/** Raw HTML passes, because authors underline with it; sanitising removes everything except plain formatting. */
const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false });

/**
 * An agreement's text as sanitised HTML: Markdown and HTML rendered, anything else as written. Without a time
 * limit: some texts of half a megabyte take many seconds.
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

/** Escaped text with its lines and spaces unchanged. */
export function writePlain(escaped: string): string {
  return `<div class="plain">${escaped}</div>`;
}
