import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { principalQuotas, usageDays } from '../../platform/database/tables/principalQuotas.ts';
import { defaultQuotas } from '../../records/quotas/quotas.ts';

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

/** How many more mails one transaction may store for each principal, so that nobody stores texts beyond the quota. */
export type MailAllowance = {
  /** Returns the ids of those mails of one principal that may be stored. */
  take(mails: readonly { id: string; principalId: string }[]): Promise<string[]>;
};

export function createMailAllowance(transaction: Queryable): MailAllowance {
  const left = new Map<string, number>();
  return {
    async take(mails) {
      const [first] = mails;
      if (!first) return [];
      const { principalId } = first;
      if (!left.has(principalId)) {
        const [use] = await readMailUse(transaction, [principalId]);
        left.set(principalId, Math.max(0, (use?.allowed ?? 0) - (use?.sent ?? 0)));
      }
      const allowed = mails.slice(0, left.get(principalId));
      left.set(principalId, (left.get(principalId) ?? 0) - allowed.length);
      return allowed.map(({ id }) => id);
    },
  };
}
