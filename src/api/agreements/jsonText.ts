/**
 * JSON is put together from texts here, since much of an answer comes out of the database as JSON already, and an authored
 * document has to go out character by character as it was stored.
 */

/** An object of members that are JSON texts already; members that are null are left out. */
export function writeObject(members: Readonly<Record<string, string | null | undefined>>): string {
  const written = Object.entries(members).flatMap(([name, text]) =>
    text == null ? [] : [`"${name}":${text}`],
  );
  return `{${written.join(',')}}`;
}

/** A text as JSON; null stays null, and is thus left out of an object. */
export function quote(text: string): string;
export function quote(text: string | null): string | null;
export function quote(text: string | null): string | null {
  return text === null ? null : JSON.stringify(text);
}

/**
 * SQL for a point in time in seconds, with their fraction: the cheapest form that the database has. `writeInstant` makes of it
 * what the wire shows.
 */
export function secondsSql(column: string): string {
  return `date_part('epoch', ${column})`;
}

/** A point in time as JSON, in UTC with milliseconds; null stays null. */
export function writeInstant(seconds: number): string;
export function writeInstant(seconds: number | null): string | null;
export function writeInstant(seconds: number | null): string | null {
  return seconds === null ? null : `"${new Date(toMilliseconds(seconds)).toISOString()}"`;
}

export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1_000);
}

/** SQL for a point in time just as the wire shows it; for single rows, as it costs the database more than `secondsSql`. */
export function instantSql(column: string): string {
  return `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
