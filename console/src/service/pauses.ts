import { ApiError } from '../../../client/src/errors.ts';

const healMs = 4_000;
const tooManyRequests = 429;
/** A page looks again after an hour, whatever a proxy asks for; after a time too long for a timer it would without pause. */
const longestMs = 3_600_000;

/** Whether the same request may succeed a little later. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500 || error.status === tooManyRequests;
}

/**
 * The pause before a failed request is repeated: at least as long as the service asks for. It is repeated until it succeeds,
 * so that pages recover alone.
 */
export function healAfter(error: unknown): number | false {
  if (!error || !mayPass(error)) return false;
  return lookAfter(healMs, error);
}

/** The pause between two looks, also while they fail: longer if the service asks for it. */
export function lookAfter(lookMs: number, error: unknown): number {
  const asked = (error instanceof ApiError && error.retryAfterSeconds) || 0;
  return Math.min(Math.max(lookMs, asked * 1_000), longestMs);
}
