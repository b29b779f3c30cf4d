import type { NewJob } from '../jobs/addJob.ts';

export const sendMailName = 'send_mail';

/** The job's own limit is never met: after so many attempts the mail itself is given up. */
export const mailAttempts = 12;

/**
 * The job that sends the mail of a firing. Mails go out one after the other, in all workers together, so that a slow server takes
 * no more than one place.
 */
export function sendMailTask(firingId: string): NewJob {
  return {
    task: sendMailName,
    payload: { firingId },
    key: `mail:${firingId}`,
    queue: 'mails',
    maxAttempts: 2 * mailAttempts,
  };
}
