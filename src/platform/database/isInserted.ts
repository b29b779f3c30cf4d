import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** In what an upsert returns: whether the row is new. PostgreSQL locks a row that it updates on a conflict. */
export function isInserted(table: PgTable): SQL<boolean> {
  return sql<boolean>`${table}.xmax = 0`;
}
