/** A name that an object of a JSON text has twice. */
export type RepeatedName = {
  readonly name: string;
  /** Where the second one stands. */
  readonly offset: number;
};

/** An escaped character of a text, the begin or end of a text, a bracket or a colon. A pattern of whole texts would need a stack as long. */
const token = /\\.|["{}[\]:]/g;

/**
 * The first name that an object of a valid JSON text has twice. Who parses such a text loses one of the two values without
 * notice, and readers of the text may take the lost one for what counts.
 */
export function findRepeatedName(json: string): RepeatedName | undefined {
  const open: Set<string>[] = [];
  let isInText = false;
  let [offset, end] = [0, 0];
  for (const { 0: found, index } of json.matchAll(token)) {
    if (found === '"') {
      if (isInText) end = index + 1;
      else offset = index;
      isInText = !isInText;
    } else if (isInText) continue;
    else if (found === '{' || found === '[') open.push(new Set());
    else if (found === '}' || found === ']') open.pop();
    else {
      const name: string = JSON.parse(json.slice(offset, end));
      if (open.at(-1)?.has(name)) return { name, offset };
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}
