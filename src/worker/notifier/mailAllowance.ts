import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { principalQuotas, usageDays } from '../../platform/database/tables/principalQuotas.ts';
import { defaultQuotas } from '../../records/quotas/quotas.ts';
import { createDailyAllowance, type DailyAllowance } from './dailyAllowance.ts';

export const mailQuotaUsedUp = 'The quota of mails for this day is used up.';

export type MailUse = { readonly principalId: string; readonly sent: number; readonly allowed: number };

/** Mails that each principal has queued today, and its quota. */
export async function readMailUse(
  transaction: Queryable,
  principalIds: readonly string[],
): Promise<MailUse[]> {
  const { rows } = await transaction.execute<UseRow>(sql`
    select id, coalesce(today.mails, 0)::text as sent, coalesce(own.value, ${defaultQuotas.mailsPerDay})::text as allowed
    from unnest(${arrayOf(principalIds)}::text[]) as id
    left join service.usage_days today on today.principal_id = id and today.day = (now() at time zone 'utc')::date
    left join service.principal_quotas own on own.principal_id = id and own.quota = 'mailsPerDay'`);
  return rows.map(({ id, sent, allowed }) => ({
    principalId: id,
    sent: Number(sent),
    allowed: Number(allowed),
  }));
}

type UseRow = { id: string } & RowAs<typeof usageDays, { sent: 'mails' }> &
  RowAs<typeof principalQuotas, { allowed: 'value' }>;

/** How many more mails one transaction may store, so that nobody stores texts beyond the quota. */
export function createMailAllowance(transaction: Queryable): DailyAllowance {
  return createDailyAllowance(async (principalId) => {
    const [use] = await readMailUse(transaction, [principalId]);
    return (use?.allowed ?? 0) - (use?.sent ?? 0);
  });
}
