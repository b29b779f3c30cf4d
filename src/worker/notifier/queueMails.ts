import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import { addJob } from '../../platform/jobs/addJob.ts';
import { addUsage } from '../../records/quotas/usage.ts';
import { readDailyUse } from './dailyAllowance.ts';
import { sendMailTask } from './mailTask.ts';

export const mailQuotaUsedUp = 'The quota of mails for this day is used up.';

export type DueMail = { readonly firingId: string; readonly principalId: string };

/** The largest priority of the queue. */
const lowestPriority = 32_767;

/**
 * Queues due mails at the commit, up to their principals' daily quotas; the others are skipped. Principals
 * with fewer mails that day come first.
 */
export async function queueMails(transaction: Queryable, mails: readonly DueMail[]): Promise<void> {
  if (mails.length === 0) return;
  const byPrincipal = Map.groupBy(mails, ({ principalId }) => principalId);
  const skipped: string[] = [];
  const used: { principalId: string; mails: number }[] = [];
  const uses = await readDailyUse(transaction, 'mailsPerDay', [...byPrincipal.keys()]);
  for (const { principalId, used: sent, left } of uses) {
    const due = byPrincipal.get(principalId) ?? [];
    const queued = due.slice(0, left);
    skipped.push(...due.slice(queued.length).map(({ firingId }) => firingId));
    if (queued.length > 0) used.push({ principalId, mails: queued.length });
    for (const [at, mail] of queued.entries())
      await addJob(transaction, {
        ...sendMailTask(mail),
        priority: Math.min(sent + at, lowestPriority),
      });
  }
  await addUsage(transaction, used);
  if (skipped.length === 0) return;
  await transaction.execute(sql`
    update service.mails set status = 'skipped', body = '', error = ${mailQuotaUsedUp}, updated_at = now()
    where firing_id = any(${arrayOf(skipped)}::text[])`);
}
