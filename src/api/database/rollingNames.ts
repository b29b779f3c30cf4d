import { forgetEldest } from './forgetEldest.ts';

/** Texts are put together of parts that callers choose, so that there may be very many. */
const mostKnown = 500;

/**
 * Gives each text a name to be prepared under, as `createStatementNames` does, but to those that come late as well: the eldest is
 * forgotten then, and gets another name should it come again. A name stands for one text for ever.
 */
export function createRollingNames(prefix: string): (text: string) => string {
  const names = new Map<string, string>();
  let given = 0;
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= mostKnown) forgetEldest(names);
    const name = `${prefix}_${given++}`;
    names.set(text, name);
    return name;
  };
}
