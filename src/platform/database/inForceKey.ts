/**
 * SQL of the key of an index over what is in force, for the index and for its queries. The key has a collation
 * of its own, which compares bytes. So the index over all rows cannot serve these queries by its order, and
 * the planner has no choice: it would walk over what ended long ago.
 */
export function inForceKey(column: string): string {
  return `${column} collate "C"`;
}
