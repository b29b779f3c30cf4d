/**
 * The collation of the key of an index over `(key, column, …)`. Each column uses its own collation, and all
 * three compare bytes. So the planner cannot use an index in one order for another order.
 */
const collations = {
  created_at: '"C"',
  updated_at: '"POSIX"',
  display_name: '"ucs_basic"',
} as const;

export type OrderedColumn = keyof typeof collations;

/** SQL of the key of the index ordered by a column, for the index definition and for its queries. */
export function orderedKey(key: string, column: OrderedColumn): string {
  return `${key} collate ${collations[column]}`;
}
