const longestQuote = 100;
const longestPlain = 300;

/** Characters that are invisible, or that change lines or the order of text: controls, formats and separators. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** A text that a sentence can hold without quotes. */
const plain = /^[^\p{C}\p{Z}"\\]+$/u;

/**
 * A text by others for a message: in quotes, on one line, escaped as in JSON, and shortened, because it may be as
 * long as a document.
 */
export function quote(text: string, longest = longestQuote): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return escapeUnseen(JSON.stringify(shown.toWellFormed()));
}

/** A path, or the name of a variable, for a message: in quotes only if it is not one word, or is very long. */
export function quoteUnlessPlain(text: string, longest = longestPlain): string {
  return text.length <= longest && plain.test(text) ? text : quote(text, longest);
}

/** JSON with escapes for all characters that are not seen. It has the same value. */
export function escapeUnseen(json: string): string {
  return json.replace(unseen, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}
