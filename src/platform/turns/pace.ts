import { setTimeout as delay, setImmediate } from 'node:timers/promises';

/** After so long others have the event loop. */
const sliceMs = 10;
/** Where a turn of the event loop takes longer, somebody else is at work. */
const idleTurnMs = 1;

/** One piece of work, which lets others have the event loop in between. */
export type Pace = {
  /** To be awaited between any two steps. */
  breathe(): Promise<void>;
  /** How long the work itself has taken so far. */
  spentMs(): number;
};

/** @param isPatient rests as long as it works while others are at work: several of the kind beside each other would leave them little. */
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
