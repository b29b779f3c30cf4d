/**
 * The places where a fault test may end the process, in order: along a write, in the API, in the worker's
 * relay and projector; in the worker also along a delivery, a rule's notification, and a mail.
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
 * Ends the process at once, like a crash, if the variable FAULT_POINT names this place, or, with
 * `<place>:<n>`, when it is passed for the nth time. Otherwise it does nothing, and in production it never
 * does anything.
 */
export function faultPoint(name: FaultPoint): void {
  if (chosen === name && --remaining <= 0) process.kill(process.pid, 'SIGKILL');
}
