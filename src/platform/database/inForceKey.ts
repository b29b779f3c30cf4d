/**
 * SQL of the key of an index over rows in force, for the index and for its queries. The key has its own collation, which
 * compares bytes. It keeps the planner from the index over all rows, where it would walk over rows that ended long
 * ago.
 */
export function inForceKey(column: string): string {
  return `${column} collate "C"`;
}
