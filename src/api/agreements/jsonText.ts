/** JSON of an object, with members added whose values are JSON already: such text goes out character by character. */
export function spliceJson(
  object: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>>,
): string {
  const written = JSON.stringify(object).slice(1, -1);
  const added = Object.entries(texts).map(([name, text]) => `"${name}":${text}`);
  return `{${[written, ...added].filter((part) => part !== '').join(',')}}`;
}

/**
 * SQL for a point in time in seconds, with their fraction: the cheapest form that the database has. `toInstant` makes of it
 * what the wire shows.
 */
export function secondsSql(column: string): string {
  return `date_part('epoch', ${column})`;
}

/** A point in time as the wire shows it, in UTC with milliseconds. */
export function toInstant(seconds: number): string {
  return new Date(toMilliseconds(seconds)).toISOString();
}

export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1_000);
}
