import { foldedSql } from '../database/foldedText.ts';

/** What a list is ordered by: one column, and then what tells rows of the same value apart. */
export type Sort = {
  readonly name: 'createdAt' | 'updatedAt' | 'displayName';
  readonly kind: 'instant' | 'text';
  readonly direction: 'asc' | 'desc';
};

/** The column of a table that holds what is sorted by. */
export const sortColumns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  displayName: 'display_name',
} as const;
export type SortColumn = (typeof sortColumns)[keyof typeof sortColumns];

/** SQL of what rows are sorted by: the column, texts of it folded. */
export function sortedSql(alias: string, column: SortColumn): string {
  const name = `${alias}.${column}`;
  return column === 'display_name' ? foldedSql(name) : name;
}
