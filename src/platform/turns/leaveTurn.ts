import { setTimeout as delay, setImmediate } from 'node:timers/promises';

const shortMs = 5;
const longestMs = 50;

/**
 * Lets others have the event loop: for a moment after a step that was short, and for twice as long as it took after a long one. Another
 * request needs the loop several times, between its questions to the database: it should not wait for a long step each time.
 *
 * @param startedAt when the step began, as `performance.now()` says.
 */
export function leaveTurn(startedAt: number): Promise<unknown> {
  const spentMs = performance.now() - startedAt;
  return spentMs < shortMs ? setImmediate() : delay(Math.min(2 * spentMs, longestMs));
}
