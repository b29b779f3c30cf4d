import type pg from 'pg';
import { PreparedRuns, type RunsOutcome, type RunValues, type Statement } from './preparedRuns.ts';
import { createRollingNames } from './rollingNames.ts';

const nameStatement = createRollingNames('written');

export function nameText(text: string): Statement {
  return { name: nameStatement(text), text };
}

/**
 * Runs a statement so many times on one connection of a pool.
 *
 * @throws Error where there is no connection to be had.
 */
export function runStatement(
  pool: pg.Pool,
  statement: Statement,
  runs: readonly RunValues[],
): Promise<RunsOutcome> {
  return new Promise((resolve, reject) => {
    pool.connect((unconnected, client, release) => {
      if (!client) {
        reject(unconnected);
        return;
      }
      const query = new PreparedRuns(statement, runs, (outcome) => {
        release(outcome.error);
        resolve(outcome);
      });
      client.query(query);
    });
  });
}
