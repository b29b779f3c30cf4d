/**
 * The text in a form that PostgreSQL can store: a NUL character, which it cannot hold, and a lone surrogate
 * become U+FFFD, as invalid UTF-8 does when the chain's bytes are decoded. Nothing else changes.
 */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}
