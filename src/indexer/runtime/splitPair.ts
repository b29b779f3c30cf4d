const beginning = /\s*\[\s*(?=\{)/y;
const stringOrBracket = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/g;
const comma = /\s*,\s*/y;
const ending = /\s*\]\s*$/;

/**
 * The texts of a JSON array's two elements, of which the first is an object; undefined for any other text. It reads
 * only the first element: the second may be no JSON, or several elements.
 */
export function splitPair(text: string): [string, string] | undefined {
  const start = skip(text, 0, beginning);
  const end = start === undefined ? undefined : findEnd(text, start);
  const next = end === undefined ? undefined : skip(text, end, comma);
  // The search for the end begins near it.
  const last = text.slice(-tailLength).search(ending);
  if (start === undefined || end === undefined || next === undefined || last < 0) return undefined;
  const stop = Math.max(text.length - tailLength, 0) + last;
  return stop <= next ? undefined : [text.slice(start, end), text.slice(next, stop)];
}

const tailLength = 16;

/** The place after what the sticky pattern matches at a place. */
function skip(text: string, at: number, pattern: RegExp): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The place after the object that begins there. */
function findEnd(text: string, start: number): number | undefined {
  let depth = 0;
  stringOrBracket.lastIndex = start;
  for (let found = stringOrBracket.exec(text); found; found = stringOrBracket.exec(text)) {
    const [token] = found;
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (depth === 0) return stringOrBracket.lastIndex;
  }
  return undefined;
}
