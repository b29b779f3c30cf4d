import { domainToASCII } from 'node:url';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import type { NotNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { mails } from '../../platform/database/tables/rules.ts';
import type { JobTask } from '../../platform/jobs/createJobs.ts';
import type { MailOutcome } from '../../platform/operations/metrics.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { continueTrace } from '../../platform/tracing/tracing.ts';
import { type Mailer, MailRefusedError } from './createMailer.ts';
import { mailAttempts } from './mailTask.ts';

const payloadShape = z.object({ firingId: z.string() });
const longestReason = 500;

/**
 * The job that sends one mail. A mail has failed if the server permanently refuses it, or has not accepted it
 * after many attempts. If a worker dies, the next one may send the mail once more. Without a mailer mails are
 * skipped.
 */
export function createSendMail({
  database,
  mailer,
  onMail = () => {},
  logger,
}: {
  database: Database;
  mailer: Mailer | undefined;
  onMail?: ((outcome: MailOutcome) => void) | undefined;
  logger: Logger;
}): JobTask {
  const finish = async (firingId: string, status: 'sent' | 'skipped' | 'failed', reason: string | null) => {
    await database.execute(sql`
      update service.mails set status = ${status}, error = ${reason}, updated_at = now()
      where firing_id = ${firingId} and status = 'due'`);
    onMail(status);
  };

  return async (payload, { signal }) => {
    const { firingId } = payloadShape.parse(payload);
    const mail = await claim(database, firingId);
    if (!mail) return;
    if (!mailer) return finish(firingId, 'skipped', 'This service has no mail server.');
    const { attempt } = mail;
    faultPoint('beforeMailSend');
    try {
      await sendTraced(mailer, { ...mail, id: firingId, signal });
    } catch (error) {
      // The worker's stop is not a failure of the mail, however often it was attempted.
      if (signal.aborted) throw error;
      const text = error instanceof Error ? error.message : String(error);
      const reason = storable(text);
      const told = storable(withoutAddress(text, mail));
      if (error instanceof MailRefusedError || attempt >= mailAttempts) {
        logger.warn({ firing: firingId, attempt, reason: told }, 'sending a mail failed');
        return finish(firingId, 'failed', reason);
      }
      await database.execute(sql`
        update service.mails set error = ${reason}, updated_at = now()
        where firing_id = ${firingId} and status = 'due'`);
      onMail('retried');
      // The queue logs it and stores it.
      throw new Error(`The mail server rejected a mail: ${told}`);
    }
    faultPoint('afterMailSend');
    await finish(firingId, 'sent', null);
    faultPoint('afterMailCommit');
  };
}

type ClaimedMail = NotNull<RowOf<typeof mails, 'address'>> &
  RowOf<typeof mails, 'subject' | 'body'> &
  RowAs<typeof mails, { attempt: 'attempt_count'; traceParent: 'trace_parent' }>;

function storable(text: string): string {
  return text.replaceAll('\0', '').slice(0, longestReason).toWellFormed();
}

/** Servers repeat the receiver in their refusals, with the domain in ASCII. Logs hold no mail addresses. */
function withoutAddress(reason: string, { address }: Pick<ClaimedMail, 'address'>): string {
  const domainAt = address.lastIndexOf('@') + 1;
  const domain = domainToASCII(address.slice(domainAt));
  const forms = domain === '' ? [address] : [address, `${address.slice(0, domainAt)}${domain}`];
  const literals = forms.map((form) => form.replace(/[^\p{L}\p{N}]/gu, '\\$&'));
  return reason.replace(new RegExp(literals.join('|'), 'gi'), '[address]');
}

/** Addresses and texts are private to the agreement's parties, so they stay out of traces. */
function sendTraced(
  mailer: Mailer,
  {
    id,
    address,
    subject,
    body,
    attempt,
    traceParent,
    signal,
  }: ClaimedMail & { id: string; signal: AbortSignal },
): Promise<void> {
  const attributes = {
    'server.address': mailer.host,
    'agreements.firing.id': id,
    'agreements.mail.attempt': attempt,
  };
  return continueTrace({ name: 'send mail', kind: 'CLIENT', traceParent, attributes }, () =>
    unlessAborted(signal, mailer.send({ id, address, subject, body })),
  );
}

async function claim(database: Database, firingId: string): Promise<ClaimedMail | undefined> {
  const { rows } = await database.execute<ClaimedMail>(sql`
    update service.mails set attempt_count = attempt_count + 1, updated_at = now()
    where firing_id = ${firingId} and status = 'due' and address is not null
    returning address, subject, body, attempt_count as attempt, trace_parent as "traceParent"`);
  return rows[0];
}

/** The result of the work, or an error as soon as the signal is aborted. The signal outlives the work by days. */
async function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new Error('The worker is stopping.'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
