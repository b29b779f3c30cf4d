import type pg from 'pg';
import { createStatementNames } from './statementNames.ts';

/** A value for `$1`; undefined is sent as null. */
export type Parameter =
  | string
  | number
  | boolean
  | Date
  | Uint8Array
  | readonly (string | number | Uint8Array)[]
  | null
  | undefined;

const namesOf = new WeakMap<pg.Pool, (text: string) => string | undefined>();

/** The statement with its name in this pool; the database parses and plans it once per connection. */
export function preparedQuery(pool: pg.Pool, text: string, values: readonly Parameter[]): pg.QueryConfig {
  const nameStatement = namesOf.get(pool) ?? createStatementNames('read');
  namesOf.set(pool, nameStatement);
  const name = nameStatement(text);
  return { text, values: [...values], ...(name !== undefined && { name }) };
}

/** Runs a statement that the database parses and plans once per connection. */
export async function runPrepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly Parameter[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>(preparedQuery(pool, text, values));
  return rows;
}
