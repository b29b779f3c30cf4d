const [quote, backslash, comma, list, object, endOfList, endOfObject] = Buffer.from('"\\,[{]}');

/**
 * The number of values in a JSON text, counting objects and lists, and the number of members of its largest
 * object.
 */
export type JsonMeasure = { readonly values: number; readonly members: number };

/**
 * Bounds the content of a JSON text without parsing it: no value and no member is missed, and an empty object
 * or list counts as one more. Invalid JSON has some measure too. Linear in its bytes; stops at more values
 * than `most`.
 */
export function measureJson(text: Uint8Array, most: number): JsonMeasure {
  let values = 1;
  let members = 0;
  let isInText = false;
  /** For each open object its number of members so far; nothing for a list. */
  const open: (number | undefined)[] = [];
  for (let at = 0; at < text.length && values <= most; at++) {
    const byte = text[at];
    if (isInText) {
      if (byte === backslash) at++;
      else if (byte === quote) isInText = false;
    } else if (byte === quote) isInText = true;
    else if (byte === comma) {
      values++;
      const inner = open.at(-1);
      if (inner === undefined) continue;
      open[open.length - 1] = inner + 1;
      members = Math.max(members, inner + 1);
    } else if (byte === list || byte === object) {
      values++;
      open.push(byte === object ? 1 : undefined);
    } else if (byte === endOfList || byte === endOfObject) open.pop();
  }
  return { values, members };
}
