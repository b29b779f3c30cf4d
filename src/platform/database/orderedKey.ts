/**
 * The collation of the key of an index over `(key, column, …)`. Each column has one of its own, and all three compare bytes: so an index
 * in one order cannot answer for another one, and the planner has no choice to make between them.
 */
const collations = {
  created_at: '"C"',
  updated_at: '"POSIX"',
  display_name: '"ucs_basic"',
} as const;

export type OrderedColumn = keyof typeof collations;

/** SQL of the key of the index that is in the order of a column, for the definition of the index and for what is to use it. */
export function orderedKey(key: string, column: OrderedColumn): string {
  return `${key} collate ${collations[column]}`;
}
