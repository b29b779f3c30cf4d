const deadlockDetected = '40P01';

/**
 * Whether the database ended a statement because it and another transaction waited for each other. During a
 * reorg the indexer locks all tables of the index one after the other, and so do statements that join them.
 */
export function isDeadlock(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === deadlockDetected) return true;
  return false;
}

/** The index may be locked again: a reorg follows another one. Each deadlock takes PostgreSQL's `deadlock_timeout`. */
const mostRuns = 5;

/**
 * Runs a single statement, and again if the database ended it in a deadlock. Then it has had no effect, and the
 * other side has what it waited for. Not for a statement of a transaction, which ends with all of its statements.
 */
export async function repeatAfterDeadlock<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  for (let runs = 1; ; runs++) {
    try {
      return await run();
    } catch (error) {
      if (!isDeadlock(error) || runs >= mostRuns) throw error;
    }
  }
}
