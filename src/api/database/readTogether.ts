import pg from 'pg';
import type { Parameter } from './parameter.ts';
import type { Rows, Statement } from './preparedBatch.ts';
import { runBatch, writeStatement } from './runBatch.ts';

type Waiting = {
  readonly statement: Statement;
  resolve(rows: Rows): void;
  reject(error: unknown): void;
};

/** So many are answered one after the other; what comes with them is left to the pool's other connections. */
const mostTogether = 8;

const waitingFor = new WeakMap<pg.Pool, Waiting[]>();

/**
 * Runs a prepared statement like `runPrepared`, together with those that are asked for in the same turn of the event loop: what the
 * system takes for a message to the database, and for its answer, it takes once for all of them. For quick reads by a key alone:
 * they wait for each other, and what one of them had written would be undone where a later one fails.
 */
export async function readTogether<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly Parameter[],
): Promise<Row[]> {
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      const waiting = { statement: writeStatement(text, values), resolve, reject };
      const others = waitingFor.get(pool);
      if (others) {
        others.push(waiting);
        return;
      }
      const turn = [waiting];
      waitingFor.set(pool, turn);
      setImmediate(() => {
        waitingFor.delete(pool);
        for (let at = 0; at < turn.length; at += mostTogether)
          void answer(pool, turn.slice(at, at + mostTogether));
      });
    });
  } catch (error) {
    // As it comes out of the connection it does not say who has asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

async function answer(pool: pg.Pool, waiting: readonly Waiting[]): Promise<void> {
  const { results, error } = await runBatch(
    pool,
    waiting.map(({ statement }) => statement),
  );
  waiting.forEach(({ resolve, reject }, index) => {
    const rows = results[index];
    if (rows) resolve(rows);
    // What the database refuses it refuses to one statement, and those behind it have not been run.
    else if (index > results.length && error instanceof pg.DatabaseError)
      void answer(pool, waiting.slice(index, index + 1));
    else reject(error);
  });
}
