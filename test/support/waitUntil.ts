import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
/** Nobody waits so long but for what does not come: a busy machine takes many times as long as an idle one. */
const usualPatienceMs = 120_000;

/** What was waited for did not come in time. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
}

/**
 * Asks again and again until the answer is neither undefined nor false, and returns it.
 *
 * @throws WaitTimeoutError after `timeoutMs`; what `ask` throws is thrown at once.
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

/** Goes on without what has not come in time; any other error remains one. */
export function passTimeout(error: unknown): void {
  if (!(error instanceof WaitTimeoutError)) throw error;
}
