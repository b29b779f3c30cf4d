/** The places on the way of a transaction at which a fault test may end the process. */
export type FaultPoint =
  | 'afterClaim'
  | 'afterSignCommit'
  | 'beforeBroadcast'
  | 'afterBroadcast'
  | 'beforeStateWrite';

const chosen = process.env.ENVIRONMENT === 'production' ? undefined : process.env.FAULT_POINT;

/** Ends the process at once, as a crash would, where the variable FAULT_POINT names this place; it does nothing otherwise. */
export function faultPoint(name: FaultPoint): void {
  if (chosen === name) process.kill(process.pid, 'SIGKILL');
}
