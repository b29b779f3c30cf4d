import { unseen } from './unseen.ts';

const longestQuote = 100;
const longestPlain = 300;

/**
 * A text by others for a message: in quotes, on one line, with escapes as in JavaScript for all that is not seen, and
 * shortened, because it may be as long as a document.
 */
export function quote(text: string, longest = longestQuote): string {
  const json = JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
  return json.replace(unseen, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** A path, or the name of a variable, for a message: in quotes only if it is not one word, or is very long. */
export function quoteUnlessPlain(text: string, longest = longestPlain): string {
  const quoted = quote(text, longest);
  return quoted === `"${text}"` && text !== '' && !/\p{Z}/u.test(text) ? text : quoted;
}
