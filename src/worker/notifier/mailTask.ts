import type { NewJob } from '../../platform/jobs/addJob.ts';

export const sendMailName = 'send_mail';

/** A mail is given up after this many attempts. */
export const mailAttempts = 12;
/** The job's own limit, which also counts each time that its worker stopped or died: as many as the queue can count. */
const jobAttempts = 32_767;

/**
 * The job that sends the mail of a firing. Those of one principal go out one after the other, in all workers together, so that
 * neither their number nor a slow server keeps the mails of others waiting.
 */
export function sendMailTask({ firingId, principalId }: { firingId: string; principalId: string }): NewJob {
  return {
    task: sendMailName,
    payload: { firingId },
    key: `mail:${firingId}`,
    queue: `mails ${principalId}`,
    maxAttempts: jobAttempts,
  };
}
