import { ApiError } from '../../../client/src/index.ts';

/** The refusals of a permit because its nonce or deadline is no longer valid, or not yet. */
const reasons: ReadonlySet<string | undefined> = new Set([
  'permit_expired',
  'stale_nonce',
  'future_nonce',
  'nonce_in_flight',
]);

/** Whether the prepared data cannot be sent: signing again needs new data, with another nonce and deadline. */
export function isSpentPermit(error: unknown): boolean {
  return error instanceof ApiError && reasons.has(error.reason);
}
