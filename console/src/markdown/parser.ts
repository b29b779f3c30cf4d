import MarkdownIt from 'markdown-it';

/** HTML stays text, and so do addresses. */
export const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
// Characters behind a backslash and entities stay tokens of their own: they begin no tag.
markdown.core.ruler.disable('text_join');
// Markdown would hide definitions of links. Here they stay text, and so do the links that use them.
markdown.disable('reference');
