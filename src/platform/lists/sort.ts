import { foldedSql } from '../database/foldedText.ts';

/** The order of a list: one column, and then what orders rows of the same value. */
export type Sort = {
  readonly name: 'createdAt' | 'updatedAt' | 'displayName';
  readonly kind: 'instant' | 'text';
  readonly direction: 'asc' | 'desc';
};

export const sortColumns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  displayName: 'display_name',
} as const;
export type SortColumn = (typeof sortColumns)[keyof typeof sortColumns];

/** SQL of the sorted value: the column, with texts folded. */
export function sortedSql(alias: string, column: SortColumn): string {
  const name = `${alias}.${column}`;
  return column === 'display_name' ? foldedSql(name) : name;
}
