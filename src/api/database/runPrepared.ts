import type pg from 'pg';
import { type Parameter, writeParameter } from './parameter.ts';
import { nameText, runStatement } from './runStatement.ts';

/** Runs a statement that the database parses and plans once per connection, however often it is run. */
export async function runPrepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly Parameter[],
): Promise<Row[]> {
  try {
    const { results, error } = await runStatement(pool, nameText(text), [values.map(writeParameter)]);
    const [rows] = results;
    if (error || !rows) throw error;
    return rows;
  } catch (error) {
    // As it comes out of the connection it does not say who has asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}
