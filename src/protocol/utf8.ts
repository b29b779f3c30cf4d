const encoder = new TextEncoder();

/** The bytes of a text in UTF-8. */
export function toUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The number of bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return toUtf8(text).length;
}
