/**
 * The text in a form that PostgreSQL can hold: a NUL character, which it has no place for, and a lone surrogate become
 * U+FFFD, as invalid UTF-8 did when the chain's bytes were decoded. Nothing else changes.
 */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}
