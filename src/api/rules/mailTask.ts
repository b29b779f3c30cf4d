import type { NewJob } from '../jobs/addJob.ts';

export const sendMailName = 'send_mail';

/** After so many attempts a mail is given up. */
export const mailAttempts = 12;
/** The job's own limit, which also counts each time that its worker stopped or died: as many as the queue can count. */
const jobAttempts = 32_767;

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
    maxAttempts: jobAttempts,
  };
}
