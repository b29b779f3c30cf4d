import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';

/** The `id` of each row that the statement returns. */
export async function idsOf(transaction: Queryable, statement: SQL): Promise<string[]> {
  const { rows } = await transaction.execute<{ id: string }>(statement);
  return rows.map(({ id }) => id);
}

/** An array as one parameter, to be cast to its type: a list in a template would become one parameter an item. */
export function arrayOf(values: readonly (string | number | bigint)[]): SQL {
  return sql`${sql.param(values.map(String))}`;
}

/**
 * Rows as one parameter: `json_to_recordset` of it gives them back. JSON within a row has to be a text, which is cast to json:
 * so no escape in it is resolved on the way, of which `\\u0000` could not be.
 */
export function recordsOf(rows: readonly Record<string, string | number | boolean | null>[]): SQL {
  return sql`json_to_recordset(${JSON.stringify(rows)}::json)`;
}
