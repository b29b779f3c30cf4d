import { ServiceError } from '../errors/serviceError.ts';

export class UnknownRouteError extends ServiceError {
  override readonly name = 'UnknownRouteError';
}

/** The path belongs to a route, but the method does not. */
export class MethodNotAllowedError extends ServiceError {
  override readonly name = 'MethodNotAllowedError';
  readonly allowed: readonly string[];

  constructor(allowed: readonly string[]) {
    super(`This route supports only ${allowed.join(' and ')}.`);
    this.allowed = allowed;
  }
}

/** The exceeded limit. */
type TooLarge = {
  readonly limitBytes?: number;
  readonly limitValues?: number;
  readonly limitMembers?: number;
  readonly limitChunks?: number;
};

/** The body is larger than the service reads, or part of it larger than the service stores. */
export class PayloadTooLargeError extends ServiceError {
  override readonly name = 'PayloadTooLargeError';
  readonly facts: TooLarge;
  readonly field: string | undefined;

  constructor(message: string, { field, ...facts }: TooLarge & { field?: string }) {
    super(message);
    this.facts = facts;
    this.field = field;
  }
}

const keyConflicts = {
  usedOtherwise: 'The Idempotency-Key was already used for another request.',
  inFlight: 'An earlier request with this Idempotency-Key is still running.',
} as const;

/** The Idempotency-Key belongs to another request, or to the same one that is still in progress. */
export class IdempotencyConflictError extends ServiceError {
  override readonly name = 'IdempotencyConflictError';
  readonly kind: keyof typeof keyConflicts;

  constructor(kind: keyof typeof keyConflicts) {
    super(keyConflicts[kind]);
    this.kind = kind;
  }
}

/** The route does not read bodies of this kind. */
export class UnsupportedMediaTypeError extends ServiceError {
  override readonly name = 'UnsupportedMediaTypeError';
}
