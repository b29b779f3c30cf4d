import type { Issue } from '../../src/protocol/errors.ts';

export type { Issue };

/** What is known of a call that failed. */
export type FailureFacts = {
  /** The id that the call was sent with, or the one that the service answered with: operators find the call by it. */
  readonly requestId: string;
  readonly cause?: unknown;
};

/** Root of all that the client throws about a call. Mistakes in its use are a TypeError. */
export class AgreementsError extends Error {
  readonly requestId: string;

  constructor(message: string, { requestId, cause }: FailureFacts) {
    super(message, { cause });
    this.name = new.target.name;
    this.requestId = requestId;
  }
}

/** No answer: the service was not reached, or the connection broke. What was asked for may have happened all the same. */
export class ConnectionError extends AgreementsError {}

/** No answer in time. What was asked for may have happened all the same. */
export class TimeoutError extends ConnectionError {}

/** The caller's own signal ended the call. */
export class AbortedError extends AgreementsError {}

/** An answer that the service does not give: something between client and service answered, or changed what it said. */
export class InvalidResponseError extends AgreementsError {
  readonly status: number;

  constructor(message: string, facts: FailureFacts & { readonly status: number }) {
    super(message, facts);
    this.status = facts.status;
  }
}

/** What the service says of a refusal beside its message. */
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

/** The service answered with an error. Its class follows `code`; `reason` says more, where more is known. */
export class ApiError extends AgreementsError {
  /** Of HTTP. */
  readonly status: number;
  /** Stable, such as `not_found`. */
  readonly code: string;
  /** Stable, such as `stale_nonce`; undefined where the code says all. */
  readonly reason: string | undefined;
  readonly details: ErrorDetails;
  /** How long the service asks to wait before the next attempt. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, refusal: Refusal) {
    super(message, refusal);
    this.status = refusal.status;
    this.code = refusal.code;
    this.details = refusal.details ?? {};
    this.reason = this.details.reason;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
  }
}

/** 400: the request has to change; `details.issues` say where. */
export class BadRequestError extends ApiError {}
/** 401: the API key is missing, not valid, disabled or revoked. */
export class UnauthorizedError extends ApiError {}
/** 402: the use of this scope has to be paid for. */
export class PaymentRequiredError extends ApiError {}
/** 403: the key may not do this, or the resource is another principal's. */
export class ForbiddenError extends ApiError {}
/** 404: there is no such resource. */
export class NotFoundError extends ApiError {}
/** 405: the route does not take this method. */
export class MethodNotAllowedError extends ApiError {}
/** 409: the state of the agreement, a nonce or another resource is in the way; `reason` says which. */
export class ConflictError extends ApiError {}
/** 413: the body is too large. */
export class PayloadTooLargeError extends ApiError {}
/** 415: the body is not of a type that the route takes. */
export class UnsupportedMediaTypeError extends ApiError {}
/** 429: too many calls; `retryAfterSeconds` says when to go on. */
export class RateLimitedError extends ApiError {}
/** 500: the service failed. */
export class InternalError extends ApiError {}
/** 503: a chain, or what the service knows of it, is not available at the moment. */
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

/** The error of a code; one that is not known here is an `ApiError`. */
export function createApiError(message: string, refusal: Refusal): ApiError {
  const Class = Object.hasOwn(classes, refusal.code) ? classes[refusal.code] : undefined;
  return new (Class ?? ApiError)(message, refusal);
}
