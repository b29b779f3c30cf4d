/** A name that an object of a JSON text has twice. */
export type RepeatedName = {
  readonly name: string;
  /** Where the second one stands. */
  readonly offset: number;
};

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * The first name that an object of a valid JSON text has twice. Who parses such a text loses one of the two values without
 * notice, and readers of the text may take the lost one for what counts.
 */
export function findRepeatedName(json: string): RepeatedName | undefined {
  const open: Set<string>[] = [];
  let text = '';
  let offset = 0;
  for (const { 0: found, index } of json.matchAll(token)) {
    if (found === '{' || found === '[') open.push(new Set());
    else if (found === '}' || found === ']') open.pop();
    else if (found !== ':') {
      text = found;
      offset = index;
    } else {
      const name: string = JSON.parse(text);
      if (open.at(-1)?.has(name)) return { name, offset };
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}
