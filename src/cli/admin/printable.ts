/** What a terminal may take for a command or for another order of characters: controls, and marks of direction. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text that a terminal shows and does not obey: everything else stands as `\u` and four digits. Lines stay lines. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (character === '\n' ? character : escapeCode(character)));
}

/** The same in one line. */
export function printableLine(text: string): string {
  return text.replace(unprintable, escapeCode);
}

function escapeCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
