const [quote, backslash, comma, list, object, endOfList, endOfObject] = Buffer.from('"\\,[{]}');

/** How many values a JSON text has, objects and lists among them, and how many members its largest object has. */
export type JsonMeasure = { readonly values: number; readonly members: number };

/**
 * Bounds what a JSON text holds without reading it: no value and no member is missed, and an empty object or list counts as one more.
 * What is no JSON has some measure too. Linear in its bytes, and ends once there are more values than `most`.
 */
export function measureJson(text: Uint8Array, most: number): JsonMeasure {
  let values = 1;
  let members = 0;
  let isInText = false;
  /** Of each object that is open, how many members it has so far; of a list, nothing. */
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
