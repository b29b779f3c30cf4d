/** Why one record's history cannot be folded; other records are not affected. */
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

/** PostgreSQL's error classes about the given rows: data, integrity, limits, and errors raised by triggers. */
const classesOfData = new Set(['22', '23', '54', 'P0']);
const statementTimeout = '57014';

/**
 * Whether a failure is due to the data, so that a retry would fail in the same way. Failures of the machine,
 * the network or another transaction have their own codes.
 */
export function isOwnFault(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? cause.code : undefined;
    if (typeof code !== 'string') continue;
    return code === statementTimeout || (code.length === 5 && classesOfData.has(code.slice(0, 2)));
  }
  return true;
}
