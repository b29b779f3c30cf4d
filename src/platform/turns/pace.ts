import { setTimeout as delay, setImmediate } from 'node:timers/promises';

/** After this time the work yields the event loop. */
const sliceMs = 10;
/** If a turn of the event loop takes longer, other work is running. */
const idleTurnMs = 1;
/** The longest rest: a slice may contain a wait for others. */
const mostRestMs = 50;

/** One piece of work that yields the event loop from time to time. */
export type Pace = {
  /** Await this between any two steps. */
  breathe(): Promise<void>;
  /** Time that the work itself has taken so far. */
  spentMs(): number;
};

/**
 * @param areOthersWaiting makes the work patient: while this is true, or other work holds the event loop, the work
 * rests after each slice for as long as it took. Otherwise several such tasks would starve others.
 */
export function createPace({ areOthersWaiting }: { areOthersWaiting?: () => boolean } = {}): Pace {
  let spentMs = 0;
  let since = performance.now();
  return {
    async breathe() {
      const slice = performance.now() - since;
      if (slice < sliceMs) return;
      spentMs += slice;
      const leftAt = performance.now();
      await setImmediate();
      if (areOthersWaiting && (areOthersWaiting() || performance.now() - leftAt > idleTurnMs))
        await delay(Math.min(slice, mostRestMs));
      since = performance.now();
    },
    spentMs: () => spentMs + performance.now() - since,
  };
}
