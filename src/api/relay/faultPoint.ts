/** The places of the write path at which a test may have the process killed. */
export type FaultPoint = 'claimed' | 'signed' | 'sent' | 'noted';

/**
 * Kills the process at once, as `kill -9` does, where the environment variable `FAULT_POINT` names this place; otherwise does
 * nothing. For tests of what survives.
 */
export function faultPoint(place: FaultPoint): void {
  if (process.env.FAULT_POINT === place) process.kill(process.pid, 'SIGKILL');
}
