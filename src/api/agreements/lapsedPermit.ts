/**
 * SQL: whether a row of the outbox is unsent and its deadline has passed by the database's clock. Then it will fail, and
 * so will those after it.
 *
 * @param row the prefix of the row's columns, with a point.
 */
export function hasLapsed(row: string): string {
  return `(${row}state || '' = 'accepted' and ${row}deadline < floor(extract(epoch from now())))`;
}
