import pg from 'pg';
import { isDeadlock } from './deadlock.ts';
import { PreparedRuns, type Rows, type RunsOutcome, type RunValues, type Statement } from './preparedRuns.ts';
import { type Parameter, runPrepared } from './runPrepared.ts';
import { createStatementNames } from './statementNames.ts';

type Asker = {
  readonly values: RunValues;
  resolve(rows: Rows): void;
  reject(error: unknown): void;
};

/** More runs than this go to other connections of the pool. */
const mostTogether = 8;

/** The callers of one turn of the event loop, by statement text. */
type Turn = Map<string, Asker[]>;

const namesOf = new WeakMap<pg.Pool, (text: string) => string | undefined>();
const turns = new WeakMap<pg.Pool, Turn>();

/**
 * Runs a prepared statement like `runPrepared`, together with the runs of the same statement requested in the
 * same turn of the event loop: one message carries all runs, and one carries their answers. Only for quick
 * reads with few different texts, because they wait for each other, and on a pool made for it
 * (`readsTogether`).
 */
export async function readTogether<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly Parameter[],
): Promise<Row[]> {
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      const asker = { values, resolve, reject };
      const turn = turns.get(pool) ?? beginTurn(pool);
      const others = turn.get(text);
      if (others) others.push(asker);
      else turn.set(text, [asker]);
    });
  } catch (error) {
    // The connection's stack does not contain the caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

function beginTurn(pool: pg.Pool): Turn {
  const turn: Turn = new Map();
  const nameStatement = namesOf.get(pool) ?? createStatementNames('together');
  namesOf.set(pool, nameStatement);
  turns.set(pool, turn);
  setImmediate(() => {
    turns.delete(pool);
    for (const [text, askers] of turn) {
      const name = nameStatement(text);
      if (name === undefined) {
        for (const { values, resolve, reject } of askers)
          runPrepared(pool, text, values).then(resolve, reject);
        continue;
      }
      const statement = { name, text };
      for (let at = 0; at < askers.length; at += mostTogether)
        void answer(pool, statement, askers.slice(at, at + mostTogether));
    }
  });
  return turn;
}

async function run(pool: pg.Pool, statement: Statement, runs: readonly RunValues[]): Promise<RunsOutcome> {
  const client = await pool.connect();
  const outcome = await new Promise<RunsOutcome>((resolve) => {
    client.query(new PreparedRuns(statement, runs, resolve));
  });
  client.release(outcome.error);
  return outcome;
}

async function answer(pool: pg.Pool, statement: Statement, askers: readonly Asker[]): Promise<void> {
  try {
    const runs = askers.map(({ values }) => values);
    const { results, error } = await run(pool, statement, runs);
    askers.forEach((asker, index) => {
      const rows = results[index];
      if (rows) asker.resolve(rows);
      // The database refuses one run and skips those after it.
      else if (index > results.length && error instanceof pg.DatabaseError)
        void answer(pool, statement, [asker]);
      else if (isDeadlock(error))
        runPrepared(pool, statement.text, asker.values).then(asker.resolve, asker.reject);
      else asker.reject(error);
    });
  } catch (error) {
    for (const { reject } of askers) reject(error);
  }
}
