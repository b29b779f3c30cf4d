import { setFlagsFromString } from 'node:v8';

/**
 * By how much the heap may grow beyond what lives in it before it is collected, in percent. By itself V8 lets it grow several times, so
 * that large answers of nodes, which live just long enough to leave the young generation, pile up to more than a hundred megabytes.
 */
const growthPercent = 20;
/** V8 decides. */
const freely = 0;

let holders = 0;

/** Has garbage collected early, at the price of more time of a processor, until the returned function is called. */
export function holdHeapTight(): () => void {
  if (holders++ === 0) setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    if (--holders === 0) setFlagsFromString(`--heap-growing-percent=${freely}`);
  };
}
