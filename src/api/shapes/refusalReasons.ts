import type { Reason } from '../../platform/errors/serviceError.ts';

/** A write that the principal's quotas do not allow. */
export const quotaReasons = ['quota_exceeded', 'storage_exceeded'] as const satisfies readonly Reason[];

/** An input that does not fit the agreement, its state, or the signer. */
export const inputReasons = [
  'unknown_input',
  'state_not_accepting',
  'no_transition',
  'schema_mismatch',
  'issuer_not_allowed',
] as const satisfies readonly Reason[];

/** A deadline that a permit cannot have. */
export const deadlineReasons = ['permit_expired', 'deadline_too_far'] as const satisfies readonly Reason[];

/** A permit that cannot be sent. */
export const permitReasons = [
  ...deadlineReasons,
  'stale_nonce',
  'future_nonce',
  'nonce_in_flight',
  'signature_mismatch',
  'action_reverted',
  'relayer_unfunded',
] as const satisfies readonly Reason[];
