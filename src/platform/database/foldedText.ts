/**
 * SQL of a text in the form for sorting and searching lists: A to Z in lower case, the rest unchanged,
 * compared by code points. It is the same on every server, whatever its locale.
 */
export function foldedSql(column: string): string {
  return `lower(${column} collate "C")`;
}

/** The same folding as `foldedSql`, in code. */
export function foldText(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const lastCodePoint = 0x10ffff;
const beforeSurrogates = 0xd7ff;
const afterSurrogates = 0xe000;

/** The first text after all texts with a prefix, by code points; undefined if there can be none. */
export function findTextAfter(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === lastCodePoint) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === beforeSurrogates ? afterSurrogates : last + 1);
}
