import { constants, setPriority } from 'node:os';

/** The scheduler of Linux knows threads; elsewhere this would be the whole process. */
const isOfThread = process.platform === 'linux';
const thisThread = 0;

/** To be called in a thread that computes for long: the event loop, and whatever else the machine does, comes before it. */
export function yieldProcessor(): void {
  if (isOfThread) setPriority(thisThread, constants.priority.PRIORITY_BELOW_NORMAL);
}
