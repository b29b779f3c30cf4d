import type { WireValues } from '../../protocol/index.ts';
import { isTextMissed } from '../../protocol/missedText.ts';
import { showUnseen } from '../../protocol/showUnseen.ts';
import { splitTemplate } from '../../records/documents/fillTemplate.ts';
import type { Content } from './content.ts';
import { escapeHtml } from './escapeHtml.ts';
import { markdown } from './markdown.ts';
import { type MarkedTemplate, markTemplate } from './marks.ts';
import { type SanitizedContent, sanitizeContent } from './sanitizeContent.ts';

/**
 * An agreement's text as sanitised HTML: Markdown and HTML rendered, anything else as written. Without a time
 * limit: some texts of half a megabyte take many seconds.
 */
export function renderContent({ contentType, template }: Content, values: WireValues): SanitizedContent {
  const marked = markTemplate(splitTemplate(showUnseen(template), values));
  switch (contentType) {
    case 'md':
      return renderMarkdown(marked);
    case 'html':
      return sanitizeContent(marked.text, marked);
    default:
      return { html: writePlain(marked.fillText(escapeHtml(marked.text))), isCut: false };
  }
}

function renderMarkdown(marked: MarkedTemplate): SanitizedContent {
  const tokens = markdown.parse(marked.text, {});
  const { html, isCut } = sanitizeContent(markdown.renderer.render(tokens, markdown.options, {}), marked);
  return { html, isCut: isCut || isTextMissed(marked.text, tokens) };
}

/** Escaped text with its lines and spaces unchanged. */
export function writePlain(escaped: string): string {
  return `<div class="plain">${escaped}</div>`;
}
