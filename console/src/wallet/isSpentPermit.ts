import { ApiError } from '../../../client/src/index.ts';

/** The refusals of a permit whose nonce or deadline the service cannot take any more, or not yet. */
const reasons: ReadonlySet<string | undefined> = new Set([
  'permit_expired',
  'stale_nonce',
  'future_nonce',
  'nonce_in_flight',
]);

/** Whether what was prepared cannot be sent: it takes newly prepared data, with another nonce and deadline, to sign again. */
export function isSpentPermit(error: unknown): boolean {
  return error instanceof ApiError && reasons.has(error.reason);
}
