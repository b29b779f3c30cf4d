import pg from 'pg';

const foreignKeyViolation = '23503';

/** Whether a statement failed because the row that its own row refers to is gone. */
export function isReferenceLost(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof pg.DatabaseError) return cause.code === foreignKeyViolation;
  return false;
}
