import { setTimeout as delay, setImmediate } from 'node:timers/promises';

/** After this time the work yields the event loop. */
const sliceMs = 10;
/** If a turn of the event loop takes longer, other work is running. */
const idleTurnMs = 1;

/** One piece of work that yields the event loop from time to time. */
export type Pace = {
  /** Await this between any two steps. */
  breathe(): Promise<void>;
  /** Time that the work itself has taken so far. */
  spentMs(): number;
};

/** @param isPatient while other work runs, pauses after each slice; otherwise several such tasks would starve it. */
export function createPace({ isPatient = false }: { isPatient?: boolean } = {}): Pace {
  let spentMs = 0;
  let since = performance.now();
  return {
    async breathe() {
      const slice = performance.now() - since;
      if (slice < sliceMs) return;
      spentMs += slice;
      const leftAt = performance.now();
      await setImmediate();
      if (isPatient && performance.now() - leftAt > idleTurnMs) await delay(sliceMs);
      since = performance.now();
    },
    spentMs: () => spentMs + performance.now() - since,
  };
}
