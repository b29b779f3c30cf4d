import pg from 'pg';

const foreignKeyViolation = '23503';

/** Whether a statement failed because the row that its own row refers to is gone. */
export function isReferenceLost(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === foreignKeyViolation;
}
