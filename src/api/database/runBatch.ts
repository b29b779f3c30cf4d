import type pg from 'pg';
import { type Parameter, writeParameter } from './parameter.ts';
import { type BatchOutcome, PreparedBatch, type Statement } from './preparedBatch.ts';
import { createStatementNames } from './statementNames.ts';

const nameStatement = createStatementNames('written');

export function writeStatement(text: string, values: readonly Parameter[]): Statement {
  return { name: nameStatement(text), text, values: values.map(writeParameter) };
}

/** Runs statements together on one connection of a pool; without any result where there is no connection to be had. */
export function runBatch(pool: pg.Pool, statements: readonly Statement[]): Promise<BatchOutcome> {
  return new Promise((resolve) => {
    pool.connect((unconnected, client, release) => {
      if (!client) {
        resolve({ results: [], error: unconnected ?? new Error('There is no connection.') });
        return;
      }
      const batch = new PreparedBatch(statements, (outcome) => {
        release(outcome.error);
        resolve(outcome);
      });
      client.query(batch);
    });
  });
}
