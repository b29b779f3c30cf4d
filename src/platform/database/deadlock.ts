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
