import { setImmediate } from 'node:timers/promises';

/** After so long others have the event loop. */
const sliceMs = 10;

/** One piece of work, which lets others have the event loop in between. */
export type Pace = {
  /** To be awaited between any two steps. */
  breathe(): Promise<void>;
  /** How long the work itself has taken so far. */
  spentMs(): number;
};

export function createPace(): Pace {
  let spentMs = 0;
  let since = performance.now();
  return {
    async breathe() {
      const slice = performance.now() - since;
      if (slice < sliceMs) return;
      spentMs += slice;
      await setImmediate();
      since = performance.now();
    },
    spentMs: () => spentMs + performance.now() - since,
  };
}
