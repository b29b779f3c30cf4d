import { setFlagsFromString } from 'node:v8';

/**
 * How far the heap may grow beyond its live objects before a collection, in percent. By default V8 lets it
 * grow several times over. Large answers of nodes live just long enough to leave the young generation, and
 * pile up to more than a hundred megabytes.
 */
const growthPercent = 20;
/** V8's own choice. */
const freely = 0;

let holders = 0;

/** Collects garbage early, at the price of more processor time, until the returned function is called. */
export function holdHeapTight(): () => void {
  if (holders++ === 0) setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    if (--holders === 0) setFlagsFromString(`--heap-growing-percent=${freely}`);
  };
}
