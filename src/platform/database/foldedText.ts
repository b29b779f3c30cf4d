/**
 * SQL of a text as lists sort and search it: A to Z in lower case, all else as it is, compared by code points. It is the same on every
 * server, whatever its locale.
 */
export function foldedSql(column: string): string {
  return `lower(${column} collate "C")`;
}

/** What `foldedSql` makes of a text. */
export function foldText(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const lastCodePoint = 0x10ffff;
const beforeSurrogates = 0xd7ff;
const afterSurrogates = 0xe000;

/** The first text behind all that begin with a prefix, by code points; undefined where nothing can be behind them. */
export function findTextAfter(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === lastCodePoint) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === beforeSurrogates ? afterSurrogates : last + 1);
}
