import type { Issue } from '../../protocol/errors.ts';
import { moreIssues } from '../../protocol/issueList.ts';
import { quoteUnlessPlain } from '../../protocol/quote.ts';
import { isDeadlock } from '../database/deadlock.ts';
import { isDatabaseAway } from '../database/isDatabaseAway.ts';
import { isSessionRefused } from '../database/isSessionRefused.ts';
import { isStatementEnded } from '../database/isStatementEnded.ts';
import { cut } from '../errors/faultPath.ts';
import {
  AccessError,
  ChainUnavailableError,
  MalformedError,
  NotFoundError,
  RateLimitedError,
  type Reason,
  RefusedError,
  ServiceError,
} from '../errors/serviceError.ts';
import {
  IdempotencyConflictError,
  MethodNotAllowedError,
  PayloadTooLargeError,
  UnknownRouteError,
  UnsupportedMediaTypeError,
} from './requestErrors.ts';
import { writeJson } from './writeJson.ts';

export const codesByStatus = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'chain_unavailable',
} as const;
export type ErrorStatus = keyof typeof codesByStatus;

export const statusByReason = {
  unsupported_chain: 400,
  invalid_agreement: 400,
  invalid_values: 400,
  invalid_participants: 400,
  invalid_notification_template: 400,
  document_id_taken: 409,
  already_managed: 409,
  unknown_agreement: 404,
  document_mismatch: 400,
  draft_signed: 409,
  not_deployed: 409,
  values_unknown: 409,
  not_provable: 409,
  evidence_too_long: 409,
  unknown_input: 400,
  state_not_accepting: 409,
  no_transition: 409,
  schema_mismatch: 400,
  issuer_not_allowed: 400,
  permit_expired: 400,
  deadline_too_far: 400,
  stale_nonce: 409,
  future_nonce: 409,
  nonce_in_flight: 409,
  signature_mismatch: 400,
  action_reverted: 409,
  relayer_unfunded: 503,
  webhook_target_not_allowed: 400,
  webhook_limit_reached: 409,
  webhook_disabled: 409,
  session_limit_reached: 409,
  link_limit_reached: 409,
  cursor_expired: 400,
  quota_exceeded: 429,
  storage_exceeded: 402,
} as const satisfies Record<Reason, ErrorStatus>;

const statusByAccess = { unauthorized: 401, payment_required: 402, forbidden: 403 } as const;

/** Time for an operator to fund a wallet: a guess that keeps callers from hurrying. */
const unfundedRetrySeconds = 30;

/**
 * A daily quota may last for hours, a quota of open transactions for seconds. This is rare enough to cost
 * nothing.
 */
const quotaRetrySeconds = 60;

/** Most requests are answered by then. */
const inFlightRetrySeconds = 1;

/** The failure as the caller sees it. */
export type ErrorDescription = {
  status: ErrorStatus;
  message: string;
  details?: ErrorDetails | undefined;
  headers?: Record<string, string> | undefined;
};

type ErrorDetails = {
  reason?: Reason;
  field?: string | undefined;
  issues?: readonly Issue[] | undefined;
  [fact: string]: unknown;
};

/** The request may have taken effect: a repeated request returns its result. */
const databaseAway: ErrorDescription = {
  status: 503,
  message: 'The database is unavailable. Repeat the same request.',
  headers: { 'retry-after': '1' },
};

/** A statement's time is up. Another request of the same kind may be quicker, but not at once. */
const statementEnded: ErrorDescription = {
  status: 503,
  message: 'The database took too long. Repeat the same request later.',
  headers: { 'retry-after': '5' },
};

/** A transaction was undone in a deadlock, mostly with the indexer during a reorg. Nothing is stored. */
const deadlocked: ErrorDescription = {
  status: 503,
  message: 'The database gave way to other work. Repeat the same request.',
  headers: { 'retry-after': '1' },
};

/** The only place that gives an error its status and decides what a caller may see. */
export function describeError(error: unknown): ErrorDescription {
  if (isDatabaseAway(error)) return databaseAway;
  if (isStatementEnded(error)) return statementEnded;
  if (isDeadlock(error)) return deadlocked;
  if (isSessionRefused(error)) return databaseAway;
  if (!(error instanceof ServiceError)) return { status: 500, message: 'The service failed to answer.' };
  const { message } = error;
  if (error instanceof RefusedError) return describeRefusal(error);
  if (error instanceof MalformedError) {
    const { field, issues } = error;
    return { status: 400, message: summarize(message, issues), details: { field, issues } };
  }
  if (error instanceof AccessError) {
    const status = statusByAccess[error.kind];
    const headers = status === 401 ? { 'www-authenticate': 'Bearer realm="agreements"' } : undefined;
    return { status, message, headers };
  }
  if (error instanceof NotFoundError || error instanceof UnknownRouteError) return { status: 404, message };
  if (error instanceof MethodNotAllowedError)
    return { status: 405, message, headers: { allow: error.allowed.join(', ') } };
  if (error instanceof PayloadTooLargeError)
    return { status: 413, message, details: { ...error.facts, field: error.field } };
  if (error instanceof UnsupportedMediaTypeError) return { status: 415, message };
  if (error instanceof IdempotencyConflictError) return describeKeyConflict(error);
  if (error instanceof RateLimitedError)
    return { status: 429, message, headers: { 'retry-after': String(error.retryAfterSeconds) } };
  if (error instanceof ChainUnavailableError)
    return { status: 503, message, headers: { 'retry-after': String(error.retryAfterSeconds) } };
  return { status: 500, message: 'The service failed to answer.' };
}

function describeRefusal({ reason, message, field, issues, facts }: RefusedError): ErrorDescription {
  const status = statusByReason[reason];
  const seconds = status === 503 ? unfundedRetrySeconds : status === 429 ? quotaRetrySeconds : undefined;
  const headers = seconds === undefined ? undefined : { 'retry-after': String(seconds) };
  const summary = summarize(message, issues);
  return { status, message: summary, details: { reason, field, issues, ...facts }, headers };
}

/** Callers choose paths, which could be as long as a body. */
const longestFault = 300;

/**
 * The fault in one sentence, because many clients show nothing else: "The body is not as expected: chainId is
 * missing (and 2 more)." `details` list everything.
 */
function summarize(message: string, issues: readonly Issue[] | undefined): string {
  const [first, ...others] = issues ?? [];
  if (!first) return message;
  const path = first.path === '' ? '' : quoteUnlessPlain(first.path);
  const fault = `${path} ${first.message}`.trim().replace(/\.$/, '');
  const isCut = others.some(({ message }) => message === moreIssues.message);
  const more = others.length === 0 ? '' : ` (and ${isCut ? 'at least ' : ''}${others.length} more)`;
  return `${message.replace(/\.$/, '')}: ${cut(fault, longestFault)}${more}.`;
}

function describeKeyConflict({ kind, message }: IdempotencyConflictError): ErrorDescription {
  const headers = kind === 'inFlight' ? { 'retry-after': String(inFlightRetrySeconds) } : undefined;
  return { status: 409, message, details: { field: 'Idempotency-Key' }, headers };
}

/** The error object of the specification as a response. */
export function errorResponse(description: ErrorDescription, requestId: string): Response {
  const { status, message, details, headers } = description;
  const shown = details && Object.values(details).some((value) => value !== undefined) ? details : undefined;
  const error = { code: codesByStatus[status], message, details: shown, requestId };
  return writeJson({ status, requestId, headers, text: JSON.stringify({ error }, bigintsAsText) });
}

/** For `JSON.stringify`. */
export function bigintsAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
