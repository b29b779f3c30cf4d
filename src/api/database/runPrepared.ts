import type pg from 'pg';
import type { Parameter } from './parameter.ts';
import { runBatch, writeStatement } from './runBatch.ts';

/** Runs a statement that the database parses and plans once per connection, however often it is run. */
export async function runPrepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly Parameter[],
): Promise<Row[]> {
  const { results, error } = await runBatch(pool, [writeStatement(text, values)]);
  // As it comes out of the connection it does not say who has asked.
  if (error) Error.captureStackTrace(error);
  const [rows] = results;
  if (error || !rows) throw error;
  return rows;
}
