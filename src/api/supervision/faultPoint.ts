/** The places on the way of a write, and of a delivery in the worker, at which a fault test may end the process, in their order. */
export const faultPoints = {
  api: ['beforeStoreCommit', 'afterStoreCommit', 'beforeAnswer'],
  worker: [
    'afterClaim',
    'beforeSignCommit',
    'afterSignCommit',
    'beforeBroadcast',
    'afterBroadcast',
    'beforeStateWrite',
    'afterStateWrite',
    'beforeFoldCommit',
    'afterFoldCommit',
    'beforeReleaseCommit',
    'beforeRulesCommit',
    'afterMailSent',
  ],
  delivery: ['beforeAttempt', 'afterAttempt', 'afterResultCommit'],
} as const;

export type FaultPoint = (typeof faultPoints)[keyof typeof faultPoints][number];

const isAllowed = process.env.ENVIRONMENT !== 'production';
const [chosen, count = '1'] = isAllowed ? (process.env.FAULT_POINT ?? '').split(':') : [];
let remaining = Number(count);

/**
 * Ends the process at once, as a crash would, where the variable FAULT_POINT names this place, or, as `<place>:<n>`, when it is
 * passed for the nth time. It does nothing otherwise, and nothing at all in production.
 */
export function faultPoint(name: FaultPoint): void {
  if (chosen === name && --remaining <= 0) process.kill(process.pid, 'SIGKILL');
}
