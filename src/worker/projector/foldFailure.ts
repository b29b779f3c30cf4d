/** The reaction to a failed fold: another try at once, waiting for the index, or waiting with a warning. */
export type FoldFailure = 'conflict' | 'indexAbsent' | 'unexpected';

/** There is nothing to fold yet, as in every new database. */
export class IndexAbsentError extends Error {
  override readonly name = 'IndexAbsentError';
}

/** Another transaction changed the same rows meanwhile, or keeps them locked; a new try settles it. */
const conflicts = new Set(['40001', '40P01', '55P03']);
/** The index has no views yet, or not those of this version: undefined schema, table, column or object. */
const absences = new Set(['3F000', '42P01', '42703', '42704']);

export function classifyFoldFailure(error: unknown): FoldFailure {
  if (error instanceof IndexAbsentError) return 'indexAbsent';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (conflicts.has(code)) return 'conflict';
    if (absences.has(code)) return 'indexAbsent';
  }
  return 'unexpected';
}
