import type { Issue } from '../../protocol/errors.ts';

/** Why a well-formed request is refused, in the order of the checks. */
export const reasons = [
  'unsupported_chain',
  'invalid_agreement',
  'invalid_values',
  'invalid_participants',
  'invalid_notification_template',
  'document_id_taken',
  'already_managed',
  'unknown_agreement',
  'document_mismatch',
  'draft_signed',
  'not_deployed',
  'values_unknown',
  'not_provable',
  'evidence_too_long',
  'unknown_input',
  'state_not_accepting',
  'no_transition',
  'schema_mismatch',
  'issuer_not_allowed',
  'permit_expired',
  'deadline_too_far',
  'stale_nonce',
  'future_nonce',
  'nonce_in_flight',
  'signature_mismatch',
  'action_reverted',
  'relayer_unfunded',
  'webhook_target_not_allowed',
  'webhook_limit_reached',
  'webhook_disabled',
  'session_limit_reached',
  'link_limit_reached',
  'cursor_expired',
  'quota_exceeded',
  'storage_exceeded',
] as const;
export type Reason = (typeof reasons)[number];

/** The root of every error that a caller may see; any other error is internal. */
export abstract class ServiceError extends Error {}

/**
 * The request cannot be served as it is. `reason` says what to change, `facts` what the service expected or
 * found.
 */
export class RefusedError extends ServiceError {
  override readonly name = 'RefusedError';
  readonly reason: Reason;
  readonly field: string | undefined;
  readonly issues: readonly Issue[] | undefined;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    reason: Reason,
    message: string,
    detail: { field?: string; issues?: readonly Issue[]; facts?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.reason = reason;
    this.field = detail.field;
    this.issues = detail.issues;
    this.facts = detail.facts ?? {};
  }
}

/** The request does not have the form that the route expects; `field` is the first faulty part. */
export class MalformedError extends ServiceError {
  override readonly name = 'MalformedError';
  readonly field: string | undefined;
  readonly issues: readonly Issue[] | undefined;
  /** The part of a request that the message names. */
  readonly part: RequestPart | undefined;

  constructor(
    message: string,
    detail: { field?: string; issues?: readonly Issue[]; part?: RequestPart } = {},
  ) {
    super(message);
    // A fault of the whole request has no field.
    this.field = detail.field ?? (detail.issues?.[0]?.path || undefined);
    this.issues = detail.issues;
    this.part = detail.part;
  }
}

type RequestPart = 'body' | 'query' | 'path';

/** The error for a part of a request that does not have the form that the route expects. */
export function malformed(part: RequestPart, issues: readonly Issue[]): MalformedError {
  return new MalformedError(`The ${part} is not as expected.`, { issues, part });
}

/** The caller is unknown, not allowed, or has not paid. */
export class AccessError extends ServiceError {
  override readonly name = 'AccessError';
  readonly kind: 'unauthorized' | 'payment_required' | 'forbidden';

  constructor(kind: AccessError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The resource exists and belongs to another principal. */
export class ForeignResourceError extends AccessError {
  constructor(message: string) {
    super('forbidden', message);
  }
}

/** Nothing with this name exists, or nothing that this principal may know of. */
export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError';
}

/** Too many requests in too short a time; the same request may succeed later. */
export class RateLimitedError extends ServiceError {
  override readonly name = 'RateLimitedError';
  readonly retryAfterSeconds: number;

  constructor(message: string, { retryAfterSeconds }: { retryAfterSeconds: number }) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A chain does not answer now, or cannot be reached; the same request may succeed later. */
export class ChainUnavailableError extends ServiceError {
  override readonly name = 'ChainUnavailableError';
  readonly retryAfterSeconds: number;

  constructor(message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds ?? 5;
  }
}
