import { AbortedError, ApiError, ConnectionError, InvalidResponseError } from '../errors.ts';

const firstDelayMs = 250;
const longestDelayMs = 8_000;
/** The longest wait without the caller's consent. */
const longestRetryAfterSeconds = 60;
/** The longest time of a timer; a longer one would end at once. */
export const longestTimerMs = 2 ** 31 - 1;

/**
 * Milliseconds before the next attempt; undefined if another attempt would not help, or if the service asks
 * for a longer wait than `longestSeconds`. Every call can be repeated, because writes carry an
 * `Idempotency-Key`.
 */
export function planRetry(
  error: unknown,
  attempt: number,
  longestSeconds = longestRetryAfterSeconds,
): number | undefined {
  if (!mayPass(error)) return undefined;
  const asked = (error instanceof ApiError && error.retryAfterSeconds) || 0;
  const backoffMs = Math.min(firstDelayMs * 2 ** attempt, longestDelayMs) * (0.5 + Math.random() / 2);
  // Never at once, even if the service asks for no wait: a follower would retry without pause.
  return asked > longestSeconds ? undefined : Math.min(Math.max(asked * 1_000, backoffMs), longestTimerMs);
}

function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError || isInProgress(error)) return true;
  if (!(error instanceof ApiError || error instanceof InvalidResponseError)) return false;
  const { status } = error;
  // A successful answer that is not the service's was truncated on its way.
  return status === 408 || status === 429 || status >= 500 || status < 300;
}

/** Whether the same request, under the same key, is still in progress. */
export function isInProgress(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 409 &&
    error.details.field === 'Idempotency-Key' &&
    error.retryAfterSeconds !== undefined
  );
}

/**
 * Resolves after a time, or rejects as soon as the signal is aborted.
 *
 * @param requestId of the call that is repeated after the pause.
 * @throws AbortedError
 */
export function pause(ms: number, signal?: AbortSignal, requestId = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new AbortedError('The call was aborted.', { requestId, cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}
