/** Characters that reorder the text around them or that nobody can see, and code units that are no character. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Those among them that texts need: line breaks, soft hyphens, joiners, spaces without a width, signs before Arabic numbers,
 * and variants of a character.
 */
const needed =
  /[\n\r\t\u00ad\u200b-\u200d\u180e\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]|\u034f|\p{Variation_Selector}/u;

/**
 * A text as a reader must see it: each character that reorders or hides by its number, like `⟨U+202E⟩`, so that it changes
 * nothing else.
 */
export function showUnseen(text: string): string {
  return text.replace(unseen, (character) => (needed.test(character) ? character : showCode(character)));
}

/** A character by its number. */
export function showCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
