import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import { addJob } from '../../platform/jobs/addJob.ts';
import { addRecordUsage, addUsage } from '../../records/quotas/usage.ts';
import { readDailyUse, readUsedByRecords } from './dailyAllowance.ts';
import { sendMailTask } from './mailTask.ts';

export const mailQuotaUsedUp =
  'The quota of mails for this day, or this agreement’s share of it, is used up.';

export type DueMail = { readonly firingId: string; readonly principalId: string; readonly recordId: string };

/** The largest priority of the queue. */
const lowestPriority = 32_767;

/**
 * Queues due mails at the commit, up to their principals' daily quotas and their records' shares; the others are
 * skipped. Principals with fewer mails that day come first.
 */
export async function queueMails(transaction: Queryable, mails: readonly DueMail[]): Promise<void> {
  if (mails.length === 0) return;
  const byPrincipal = Map.groupBy(mails, ({ principalId }) => principalId);
  const skipped: string[] = [];
  const used: { principalId: string; mails: number }[] = [];
  const usedByRecords: { recordId: string; mails: number }[] = [];
  const recordIds = new Set(mails.map(({ recordId }) => recordId));
  const usedOf = await readUsedByRecords(transaction, 'mailsPerDay', [...recordIds]);
  const uses = await readDailyUse(transaction, 'mailsPerDay', [...byPrincipal.keys()]);
  for (const { principalId, used: sent, left } of uses) {
    const queued: DueMail[] = [];
    for (const mail of byPrincipal.get(principalId) ?? []) {
      const { recordId, firingId } = mail;
      const usedByRecord = usedOf.get(recordId) ?? 0;
      if (left - queued.length <= usedByRecord) {
        skipped.push(firingId);
        continue;
      }
      queued.push(mail);
      usedOf.set(recordId, usedByRecord + 1);
      usedByRecords.push({ recordId, mails: 1 });
    }
    if (queued.length > 0) used.push({ principalId, mails: queued.length });
    for (const [at, mail] of queued.entries())
      await addJob(transaction, {
        ...sendMailTask(mail),
        priority: Math.min(sent + at, lowestPriority),
      });
  }
  await addUsage(transaction, used);
  await addRecordUsage(transaction, usedByRecords);
  if (skipped.length === 0) return;
  await transaction.execute(sql`
    update service.mails set status = 'skipped', body = '', error = ${mailQuotaUsedUp}, updated_at = now()
    where firing_id = any(${arrayOf(skipped)}::text[])`);
}
