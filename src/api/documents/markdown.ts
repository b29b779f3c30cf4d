import MarkdownIt from 'markdown-it';
import { escapeHtml } from './escapeHtml.ts';

/** Raw HTML passes, because authors underline with it; sanitising removes everything except plain formatting. */
export const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false });
// Definitions of links vanish from a text, whatever they say: they stay text, and so do the links that use them.
markdown.disable('reference');
// Entities stay tokens of their own, so that what was written can be compared with what is shown.
markdown.core.ruler.disable('text_join');

const { rules } = markdown.renderer;
rules.text_special = (tokens, at) => escapeHtml(tokens[at]?.content ?? '');

rules.fence = (tokens, at) => {
  const { info = '', content = '' } = tokens[at] ?? {};
  const first = info.trim() === '' ? '' : `<p>${escapeHtml(info.trim())}</p>\n`;
  return `${first}<pre><code>${escapeHtml(content)}</code></pre>\n`;
};

/** An item of a list has its own number, which need not follow the one before. */
rules.list_item_open = (tokens, at, options, _env, renderer) => {
  const token = tokens[at];
  if (token && token.info !== '') token.attrSet('value', token.info);
  return renderer.renderToken(tokens, at, options);
};
