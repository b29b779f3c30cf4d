/** Characters that change a terminal's behaviour or the order of text: controls, and marks of direction. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text that is safe to print in a terminal: those characters become `\u` and four digits. Line breaks stay. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (character === '\n' ? character : escapeCode(character)));
}

/** `printable` without line breaks. */
export function printableLine(text: string): string {
  return text.replace(unprintable, escapeCode);
}

function escapeCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
