import pg from 'pg';

const uniqueViolation = '23505';

/** The constraint or index that a failed statement violated; undefined for any other failure. */
export function findViolatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== uniqueViolation) return undefined;
  return error.constraint;
}
