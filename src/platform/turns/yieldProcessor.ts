import { constants, setPriority } from 'node:os';

/** Linux schedules threads; elsewhere this would affect the whole process. */
const isOfThread = process.platform === 'linux';
const thisThread = 0;

/** Call this in a thread that computes for long: the event loop and the rest of the machine take precedence. */
export function yieldProcessor(): void {
  if (isOfThread) setPriority(thisThread, constants.priority.PRIORITY_BELOW_NORMAL);
}
