import pg from 'pg';

const queryCanceled = '57014';

/** Whether the database ended a statement because its time was up. */
export function isStatementEnded(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === queryCanceled;
}
