import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;
/** Nobody waits so long but for what does not come: a busy machine takes many times as long as an idle one. */
const usualPatienceMs = 120_000;

/** Asks again and again until the answer is neither undefined nor false, and returns it. */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = usualPatienceMs,
): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > giveUpAt) throw new Error(`waited in vain until ${what}`);
    await delay(pollMs);
  }
}
