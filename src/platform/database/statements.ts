import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';

/** The `id` of each row that the statement returns. */
export async function idsOf(transaction: Queryable, statement: SQL): Promise<string[]> {
  const { rows } = await transaction.execute<{ id: string }>(statement);
  return rows.map(({ id }) => id);
}

/**
 * An array as one parameter, to be cast to its type: a list in a template would become one parameter per
 * item.
 */
export function arrayOf(values: readonly (string | number | bigint)[]): SQL {
  return sql`${sql.param(values.map(String))}`;
}

/**
 * Rows as one parameter, for `json_to_recordset`. JSON within a row must be a text that is cast to json.
 * Otherwise its escapes would be resolved on the way, which fails for `\\u0000`.
 */
export function recordsOf(rows: readonly Record<string, string | number | boolean | null>[]): SQL {
  return sql`json_to_recordset(${JSON.stringify(rows)}::json)`;
}
