/** Why one record's history cannot be folded; those of others can. */
export class RecordFoldError extends Error {
  override readonly name = 'RecordFoldError';
  readonly recordId: string;

  constructor(recordId: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.recordId = recordId;
  }
}

/** @throws RecordFoldError that names the record whose fold met the error. */
export function failFold(recordId: string, cause: unknown): never {
  if (cause instanceof RecordFoldError) throw cause;
  throw new RecordFoldError(recordId, cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Classes of what PostgreSQL says of the rows that it was given: data, integrity, limits; and what triggers raise. */
const classesOfData = new Set(['22', '23', '54', 'P0']);
const statementTimeout = '57014';

/**
 * Whether a failure is one of the data at hand, so that another try would end the same way, and not one of the machine, the network
 * or another transaction, which have a code of their own.
 */
export function isOwnFault(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? cause.code : undefined;
    if (typeof code !== 'string') continue;
    return code === statementTimeout || (code.length === 5 && classesOfData.has(code.slice(0, 2)));
  }
  return true;
}
