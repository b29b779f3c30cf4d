import type { Token } from 'markdown-it';

/** The parts of a token that are rendered. */
export type TextToken = Pick<Token, 'type' | 'content' | 'info' | 'hidden' | 'children' | 'attrGet'>;

/** Elements that only format a phrase; many documents write them as HTML, without attributes. */
export const phraseTags = ['b', 'del', 'em', 'i', 'ins', 'mark', 's', 'small', 'strong', 'sub', 'sup', 'u'];

const tagText = new RegExp(`(</?(?:${phraseTags.join('|')})>|<br ?/?>)`, 'i');

/**
 * The tokens of a phrase, with separate tokens for tags in the text. A tag becomes an element only if its end
 * follows at the same level. Everything else stays text.
 */
export function readPhrases(tokens: readonly Token[]): TextToken[] {
  const pieces: TextToken[] = tokens.flatMap((token) =>
    token.type === 'text' ? token.content.split(tagText).map(toText) : [token],
  );
  const begun: number[][] = [[]];
  pieces.forEach(({ type, content }, at) => {
    if (type.endsWith('_open')) begun.push([]);
    else if (type.endsWith('_close')) begun.pop();
    else if (type === 'text' && tagText.test(content)) readTag(pieces, { at, begun: begun.at(-1) ?? [] });
  });
  return pieces;
}

/** @param begun where the unfinished tags of this level begin, the innermost last. */
function readTag(pieces: TextToken[], { at, begun }: { at: number; begun: number[] }): void {
  const text = pieces[at]?.content.toLowerCase() ?? '';
  const name = text.replace(/[</ >]/g, '');
  if (name === 'br') pieces[at] = toToken('hardbreak');
  else if (!text.startsWith('</')) begun.push(at);
  else {
    const start = begun.at(-1);
    if (start === undefined || pieces[start]?.content.toLowerCase() !== `<${name}>`) return;
    begun.pop();
    pieces[start] = toToken(`${name}_open`);
    pieces[at] = toToken(`${name}_close`);
  }
}

function toText(content: string): TextToken {
  return { ...toToken('text'), content };
}

function toToken(type: string): TextToken {
  return { type, content: '', info: '', hidden: false, children: null, attrGet: () => null };
}
