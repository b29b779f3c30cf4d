const dayMs = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));

/** The last written day and its text: most instants are followed by others of the same day. */
let lastDay: number | undefined;
let lastPrefix = '';

/**
 * SQL for a point in time in seconds with fraction: the database's cheapest form. `toInstant` converts it to
 * wire form.
 */
export function secondsSql(column: string): string {
  return `date_part('epoch', ${column})`;
}

export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1_000);
}

/**
 * A point in time in wire form, in UTC with milliseconds. The same text as `Date`, in a third of the time; a
 * page of a list has fifty of them.
 *
 * @throws RangeError for an instant that `Date` cannot hold.
 */
export function toInstant(seconds: number): string {
  const ms = toMilliseconds(seconds);
  const day = Math.floor(ms / dayMs);
  if (day !== lastDay) {
    lastPrefix = new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length);
    lastDay = day;
  }
  const inDay = ms - day * dayMs;
  const second = Math.floor(inDay / 1_000);
  const hours = twoDigits[Math.floor(second / 3_600)];
  const minutes = twoDigits[Math.floor(second / 60) % 60];
  const rest = String(inDay % 1_000).padStart(3, '0');
  return `${lastPrefix}${hours}:${minutes}:${twoDigits[second % 60]}.${rest}Z`;
}
