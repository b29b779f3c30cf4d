import { setTimeout as delay, setImmediate } from 'node:timers/promises';

const shortMs = 5;
const longestMs = 50;

/**
 * Yields the event loop: briefly after a short step, and for twice the step's time after a long one. Another
 * request needs the event loop several times, between its database queries, and should not wait for a long
 * step each time.
 *
 * @param startedAt when the step began, as `performance.now()` says.
 */
export function leaveTurn(startedAt: number): Promise<unknown> {
  const spentMs = performance.now() - startedAt;
  return spentMs < shortMs ? setImmediate() : delay(Math.min(2 * spentMs, longestMs));
}
