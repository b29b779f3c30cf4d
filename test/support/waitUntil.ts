import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
/** Only a missing result takes this long; a busy machine may need many times as long as an idle one. */
const usualPatienceMs = 60_000;

/** The awaited result did not come in time. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
}

/**
 * Polls until the answer is neither undefined nor false, and returns it.
 *
 * @throws WaitTimeoutError after `timeoutMs`. Errors of `ask` are thrown at once.
 */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = usualPatienceMs,
): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > giveUpAt) throw new WaitTimeoutError(`waited in vain until ${what}`);
    await delay(pollMs);
  }
}

/** Ignores a time-out, and throws any other error. */
export function passTimeout(error: unknown): void {
  if (!(error instanceof WaitTimeoutError)) throw error;
}
