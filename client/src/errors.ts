import type { Issue } from '../../src/protocol/errors.ts';

export type { Issue };

/** Data of a failed call. */
export type FailureFacts = {
  /** The id sent with the call, or returned by the service: operators find the call by it. */
  readonly requestId: string;
  readonly cause?: unknown;
};

/** Root of all errors about a call. Wrong use of the client is a TypeError. */
export class AgreementsError extends Error {
  readonly requestId: string;

  constructor(message: string, { requestId, cause }: FailureFacts) {
    super(message, { cause });
    this.name = new.target.name;
    this.requestId = requestId;
  }
}

/** No answer: the service was not reached, or the connection broke. The request may still have taken effect. */
export class ConnectionError extends AgreementsError {}

/** No answer in time. The request may still have taken effect. */
export class TimeoutError extends ConnectionError {}

/** The caller's own signal aborted the call. */
export class AbortedError extends AgreementsError {}

/** Not an answer of the service: something in between answered, or changed the answer. */
export class InvalidResponseError extends AgreementsError {
  readonly status: number;

  constructor(message: string, facts: FailureFacts & { readonly status: number }) {
    super(message, facts);
    this.status = facts.status;
  }
}

/** The service's data about a refusal besides its message. */
export type ErrorDetails = {
  readonly reason?: string;
  readonly field?: string;
  readonly issues?: readonly Issue[];
  readonly [fact: string]: unknown;
};

export type Refusal = FailureFacts & {
  readonly status: number;
  readonly code: string;
  readonly details?: ErrorDetails | undefined;
  readonly retryAfterSeconds?: number | undefined;
};

/** The service answered with an error. Its class follows `code`; `reason` is more specific, if known. */
export class ApiError extends AgreementsError {
  /** The HTTP status. */
  declare readonly status: number;
  /** Stable, such as `not_found`. */
  declare readonly code: string;
  /** Stable, such as `stale_nonce`; undefined if the code says everything. */
  declare readonly reason: string | undefined;
  declare readonly details: ErrorDetails;
  /** How long the service asks to wait before the next attempt. */
  declare readonly retryAfterSeconds: number | undefined;

  constructor(message: string, { requestId, cause, ...refusal }: Refusal) {
    super(message, { requestId, cause });
    const { details = {} } = refusal;
    Object.assign(this, { ...refusal, details, reason: details.reason });
  }
}

/** 400: change the request; `details.issues` say where. */
export class BadRequestError extends ApiError {}
/** 401: the API key is missing, invalid, disabled or revoked. */
export class UnauthorizedError extends ApiError {}
/** 402: this scope must be paid for. */
export class PaymentRequiredError extends ApiError {}
/** 403: the key lacks permission, or the resource belongs to another principal. */
export class ForbiddenError extends ApiError {}
/** 404: the resource does not exist. */
export class NotFoundError extends ApiError {}
/** 405: the route does not support this method. */
export class MethodNotAllowedError extends ApiError {}
/** 409: a conflict with the agreement's state, a nonce or another resource; `reason` says which. */
export class ConflictError extends ApiError {}
/** 413: the body is too large. */
export class PayloadTooLargeError extends ApiError {}
/** 415: the route does not accept this content type. */
export class UnsupportedMediaTypeError extends ApiError {}
/** 429: too many calls; `retryAfterSeconds` says when to continue. */
export class RateLimitedError extends ApiError {}
/** 500: the service failed. */
export class InternalError extends ApiError {}
/** 503: a chain, or the service's data about it, is not available at the moment. */
export class ChainUnavailableError extends ApiError {}

const classes: Readonly<Record<string, typeof ApiError>> = {
  bad_request: BadRequestError,
  unauthorized: UnauthorizedError,
  payment_required: PaymentRequiredError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  conflict: ConflictError,
  payload_too_large: PayloadTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  rate_limited: RateLimitedError,
  internal_error: InternalError,
  chain_unavailable: ChainUnavailableError,
};

/** The error class of a code; an `ApiError` for an unknown code. */
export function createApiError(message: string, refusal: Refusal): ApiError {
  const Class = Object.hasOwn(classes, refusal.code) ? classes[refusal.code] : undefined;
  return new (Class ?? ApiError)(message, refusal);
}
