import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { principalQuotas, usageDays } from '../../platform/database/tables/principalQuotas.ts';
import { addJob } from '../../platform/jobs/addJob.ts';
import { defaultQuotas } from '../../records/quotas/quotas.ts';
import { addUsage } from '../../records/quotas/usage.ts';
import { sendMailTask } from './mailTask.ts';

export type DueMail = { readonly firingId: string; readonly principalId: string };

type UseRow = { id: string } & RowAs<typeof usageDays, { sent: 'mails' }> &
  RowAs<typeof principalQuotas, { allowed: 'value' }>;

/** The largest priority of the queue. */
const lowestPriority = 32_767;

/**
 * Queues due mails at the commit, up to their principals' daily quotas; the others are skipped. Principals
 * with fewer mails that day come first.
 */
export async function queueMails(transaction: Queryable, mails: readonly DueMail[]): Promise<void> {
  if (mails.length === 0) return;
  const byPrincipal = Map.groupBy(mails, ({ principalId }) => principalId);
  const { rows } = await transaction.execute<UseRow>(sql`
    select id, coalesce(today.mails, 0)::text as sent, coalesce(own.value, ${defaultQuotas.mailsPerDay})::text as allowed
    from unnest(${arrayOf([...byPrincipal.keys()])}::text[]) as id
    left join service.usage_days today on today.principal_id = id and today.day = (now() at time zone 'utc')::date
    left join service.principal_quotas own on own.principal_id = id and own.quota = 'mailsPerDay'`);
  const skipped: string[] = [];
  const used: { principalId: string; mails: number }[] = [];
  for (const { id: principalId, sent, allowed } of rows) {
    const due = byPrincipal.get(principalId) ?? [];
    const queued = due.slice(0, Math.max(0, Number(allowed) - Number(sent)));
    skipped.push(...due.slice(queued.length).map(({ firingId }) => firingId));
    if (queued.length > 0) used.push({ principalId, mails: queued.length });
    for (const [at, mail] of queued.entries())
      await addJob(transaction, {
        ...sendMailTask(mail),
        priority: Math.min(Number(sent) + at, lowestPriority),
      });
  }
  await addUsage(transaction, used);
  if (skipped.length === 0) return;
  await transaction.execute(sql`
    update service.mails set status = 'skipped', error = 'The quota of mails for this day is used up.', updated_at = now()
    where firing_id = any(${arrayOf(skipped)}::text[])`);
}
