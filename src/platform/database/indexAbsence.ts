/** Undefined schema, table or column: the indexer has not made its views yet. */
const absences = new Set(['3F000', '42P01', '42703']);

/** Whether a statement failed because the views of the index are not there. */
export function isIndexAbsent(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && absences.has(String(cause.code))) return true;
  return false;
}
