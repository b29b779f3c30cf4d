/** Undefined schema, table or column: the indexer has not created its views yet. */
const absences = new Set(['3F000', '42P01', '42703']);

/** Whether a statement failed because the views of the index do not exist. */
export function isIndexAbsent(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && absences.has(String(cause.code))) return true;
  return false;
}
