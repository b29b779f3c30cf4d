/** What a failed fold calls for: another try at once, patience with the index, or patience and a warning. */
export type FoldFailure = 'conflict' | 'indexAbsent' | 'unexpected';

/** There is nothing to fold yet, which is how every new database begins. */
export class IndexAbsentError extends Error {
  override readonly name = 'IndexAbsentError';
}

/** Another transaction changed the same rows meanwhile, which a fresh look settles. */
const conflicts = new Set(['40001', '40P01']);
/**
 * The index has no views yet or not those that this version knows, or the indexer is replacing them: undefined schema, table,
 * column or object, and a lock that was not to be had.
 */
const absences = new Set(['3F000', '42P01', '42703', '42704', '55P03']);

export function classifyFoldFailure(error: unknown): FoldFailure {
  if (error instanceof IndexAbsentError) return 'indexAbsent';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (conflicts.has(code)) return 'conflict';
    if (absences.has(code)) return 'indexAbsent';
  }
  return 'unexpected';
}
