import pg from 'pg';
import { type Parameter, writeParameter } from './parameter.ts';
import type { Rows, RunValues, Statement } from './preparedRuns.ts';
import { nameText, runStatement } from './runStatement.ts';

type Asker = {
  readonly values: RunValues;
  resolve(rows: Rows): void;
  reject(error: unknown): void;
};

/** So many are answered one after the other; what comes with them is left to the pool's other connections. */
const mostTogether = 8;

/** Who asks for what in this turn of the event loop, by the texts of the statements. */
type Turn = Map<string, Asker[]>;

const turns = new WeakMap<pg.Pool, Turn>();

/**
 * Runs a prepared statement like `runPrepared`, together with the other runs that are asked for in the same turn of the event loop:
 * what the system takes for a message to the database, and for its answer, it takes once for all of them. For quick reads alone:
 * they wait for each other, and what one of them had written would be undone where a later one fails.
 */
export async function readTogether<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly Parameter[],
): Promise<Row[]> {
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      const asker = { values: values.map(writeParameter), resolve, reject };
      const turn = turns.get(pool) ?? beginTurn(pool);
      const others = turn.get(text);
      if (others) others.push(asker);
      else turn.set(text, [asker]);
    });
  } catch (error) {
    // As it comes out of the connection it does not say who has asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

function beginTurn(pool: pg.Pool): Turn {
  const turn: Turn = new Map();
  turns.set(pool, turn);
  setImmediate(() => {
    turns.delete(pool);
    for (const [text, askers] of turn) {
      const statement = nameText(text);
      for (let at = 0; at < askers.length; at += mostTogether)
        void answer(pool, statement, askers.slice(at, at + mostTogether));
    }
  });
  return turn;
}

async function answer(pool: pg.Pool, statement: Statement, askers: readonly Asker[]): Promise<void> {
  try {
    const runs = askers.map(({ values }) => values);
    const { results, error } = await runStatement(pool, statement, runs);
    askers.forEach((asker, index) => {
      const rows = results[index];
      if (rows) asker.resolve(rows);
      // What the database refuses it refuses to one run, and those behind it have not been begun.
      else if (index > results.length && error instanceof pg.DatabaseError)
        void answer(pool, statement, [asker]);
      else asker.reject(error);
    });
  } catch (error) {
    for (const { reject } of askers) reject(error);
  }
}
