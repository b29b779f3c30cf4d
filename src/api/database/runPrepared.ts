import type pg from 'pg';
import { type Parameter, writeParameter } from './parameter.ts';
import { PreparedQuery } from './preparedQuery.ts';
import { createStatementNames } from './statementNames.ts';

const nameStatement = createStatementNames('written');

/** Runs a statement that the database parses and plans once per connection, however often it is run. */
export async function runPrepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly Parameter[],
): Promise<Row[]> {
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      const statement = { name: nameStatement(text), text, values: values.map(writeParameter) };
      pool.connect((unconnected, client, release) => {
        if (!client) {
          reject(unconnected);
          return;
        }
        const query = new PreparedQuery(statement, (error, rows) => {
          release(error);
          if (error) reject(error);
          else resolve(rows);
        });
        client.query(query);
      });
    });
  } catch (error) {
    // As it comes out of the connection it does not say who has asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}
