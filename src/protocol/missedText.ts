/** A token of a parsed Markdown text, as markdown-it makes it. */
export type MarkdownToken = {
  readonly type: string;
  readonly content: string;
  readonly info: string;
  readonly markup: string;
  readonly children: readonly MarkdownToken[] | null;
  attrGet(name: string): string | number | null;
};

const unread = /[^\p{L}\p{N}]+/gu;

/**
 * Whether readers of a rendered Markdown text miss a letter or digit of it. The rendering shows all that its tokens
 * contain: also numbers of lists, titles and addresses of links and images, and first lines of code. Markdown itself drops
 * surplus cells of tables, for example, and what is nested too deeply.
 */
export function isTextMissed(text: string, tokens: readonly MarkdownToken[]): boolean {
  const shown = listTexts(tokens, text).join(' ').replace(unread, '');
  let at = 0;
  for (const character of text.replace(unread, '')) {
    const found = shown.indexOf(character, at);
    if (found === -1) return true;
    at = found + character.length;
  }
  return false;
}

/** The texts of tokens in the order of the source, with entities and escapes as written. */
function listTexts(tokens: readonly MarkdownToken[], source: string): string[] {
  const links: (MarkdownToken | undefined)[] = [];
  return tokens.flatMap((token) => {
    const { type, content, info, markup, children } = token;
    if (type === 'link_open') links.push(info === 'auto' ? undefined : token);
    if (type === 'link_close') return listAttributes(links.pop(), 'href', source);
    if (type === 'image') return [content, ...listAttributes(token, 'src', source)];
    if (type === 'text_special') return [markup];
    if (type === 'inline') return listTexts(children ?? [], source);
    return type === 'fence' || type === 'list_item_open' ? [info, content] : [content];
  });
}

/** An address comes percent-encoded, and is compared as it was written. */
function listAttributes(token: MarkdownToken | undefined, name: string, source: string): string[] {
  const address = String(token?.attrGet(name) ?? '');
  const title = String(token?.attrGet('title') ?? '');
  return [source.includes(address) ? address : decode(address), title];
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
