import { sql } from 'drizzle-orm';
import { check } from 'drizzle-orm/pg-core';

/** Values as a list in SQL: quoted, comma-separated. For constants only. */
export const listOf = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

/** The constraint that a column holds one of its type's values. */
export const oneOf = (table: string, column: string, values: readonly string[]) =>
  check(`${table}_${column}`, sql.raw(`${column} in (${listOf(values)})`));
