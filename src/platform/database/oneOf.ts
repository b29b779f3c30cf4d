import { type SQL, sql } from 'drizzle-orm';
import { check } from 'drizzle-orm/pg-core';

/** Part of a statement, in a string and in Drizzle's `sql`, which would make a parameter of a string. */
export type SqlText = SQL & { toString(): string };

/** Values as a list in SQL: quoted, comma-separated. For constants only. */
export function listOf(values: readonly string[]): SqlText {
  const text = values.map((value) => `'${value}'`).join(', ');
  return Object.assign(sql.raw(text), { toString: () => text });
}

/** The constraint that a column holds one of its type's values. */
export const oneOf = (table: string, column: string, values: readonly string[]) =>
  check(`${table}_${column}`, sql.raw(`${column} in (${listOf(values)})`));
