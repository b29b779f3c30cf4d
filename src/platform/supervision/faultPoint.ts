/**
 * The places at which a fault test may end the process, in their order: on the way of a write, in the API, in the worker's relay and
 * in its projector, and in the worker also on those of a delivery, of what rules say, and of a mail.
 */
export const faultPoints = {
  api: ['beforeStoreCommit', 'afterStoreCommit', 'beforeAnswer'],
  relay: [
    'afterClaim',
    'beforeSignCommit',
    'afterSignCommit',
    'beforeBroadcast',
    'afterBroadcast',
    'beforeStateWrite',
    'afterStateWrite',
  ],
  projector: ['beforeFoldCommit', 'afterFoldCommit', 'beforeReleaseCommit'],
  delivery: ['beforeAttempt', 'afterAttempt', 'afterResultCommit'],
  rules: ['afterFiringWrite', 'beforeRulesCommit', 'afterRulesCommit'],
  mails: ['beforeMailSend', 'afterMailSend', 'afterMailCommit'],
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
