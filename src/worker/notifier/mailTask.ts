import type { NewJob } from '../../platform/jobs/addJob.ts';

export const sendMailName = 'send_mail';

/** A mail is given up after this many attempts. */
export const mailAttempts = 12;
/** The job's own limit, which also counts each stop or death of its worker: the most that the queue can count. */
const jobAttempts = 32_767;

/**
 * The job that sends the mail of a firing. The jobs of one principal run one after the other, over all
 * workers, so that neither their number nor a slow server delays the mails of others.
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
