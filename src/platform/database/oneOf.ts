import { sql } from 'drizzle-orm';
import { check } from 'drizzle-orm/pg-core';

/** Values as they stand in a list of SQL: quoted, comma-separated. For constants alone. */
export const listOf = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

/** The constraint that a column holds one of the values that its type names. */
export const oneOf = (table: string, column: string, values: readonly string[]) =>
  check(`${table}_${column}`, sql.raw(`${column} in (${listOf(values)})`));
