/** No name in a valid request is as long. */
const longestName = 300;
const longestPath = 1_000;

/**
 * The path of a fault, with dots between the names. Callers choose the names, and each of many faults repeats its
 * path: what is too long to be meant is cut.
 */
export function faultPath(names: Iterable<string | number>): string {
  const parts = Array.from(names, (name) => cut(String(name), longestName));
  return cut(parts.join('.'), longestPath);
}

/** A text of at most this many characters, well-formed, that shows where it was cut. */
export function cut(text: string, longest: number): string {
  return (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`).toWellFormed();
}
