import { ApiError } from '../../../client/src/errors.ts';

const healMs = 4_000;
const tooManyRequests = 429;
/** The session, which is looked at too, and the agreement, such as a Draft, may soon be another. */
const passing = [401, 409];
/** Between two looks that are refused: the reader's permissions hardly change. */
const refusedMs = 60_000;
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

/** The pause between two looks, also while they fail: longer if the service asks for it, or refuses them. */
export function lookAfter(lookMs: number, error: unknown): number {
  const { status = 0, retryAfterSeconds: asked = 0 } = error instanceof ApiError ? error : {};
  const least = mayPass(error) || passing.includes(status) ? lookMs : Math.max(lookMs, refusedMs);
  return Math.min(Math.max(least, asked * 1_000), longestMs);
}
