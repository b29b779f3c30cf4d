import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import { defaultQuotas } from '../../records/quotas/quotas.ts';

/** The quotas that notifications use up, with the columns of `usage_days` that count them. */
const columnOf = { eventsPerDay: 'events', eventBytesPerDay: 'event_bytes', mailsPerDay: 'mails' } as const;

export type DailyQuota = keyof typeof columnOf;

const usedToday = (quota: DailyQuota, principal: SQL) => sql`
  coalesce((select ${sql.raw(columnOf[quota])} from service.usage_days
    where principal_id = ${principal} and day = (now() at time zone 'utc')::date), 0)`;

/** What is left to a principal of a quota today; zero or less if nothing is. */
export const leftToday = (quota: DailyQuota, principal: SQL) => sql`
  coalesce((select value from service.principal_quotas where principal_id = ${principal} and quota = ${quota}),
    ${defaultQuotas[quota]}) - ${usedToday(quota, principal)}`;

export type DailyUse = { readonly principalId: string; readonly used: number; readonly left: number };

export async function readDailyUse(
  transaction: Queryable,
  quota: DailyQuota,
  principalIds: readonly string[],
): Promise<DailyUse[]> {
  const principal = sql`owner.id`;
  const { rows } = await transaction.execute<{ id: string; used: string; left: string }>(sql`
    select owner.id, (${usedToday(quota, principal)})::text as used, (${leftToday(quota, principal)})::text as left
    from unnest(${arrayOf(principalIds)}::text[]) as owner(id)`);
  return rows.map(({ id, used, left }) => ({
    principalId: id,
    used: Number(used),
    left: Math.max(0, Number(left)),
  }));
}

/** How much more one transaction may store for each principal today. */
export type DailyAllowance = {
  /**
   * Returns those of one principal's items that may be stored, in their order.
   *
   * @param weigh an item's use; 1 if left out. The last item may exceed what is left.
   */
  take<Item extends { readonly principalId: string }>(
    items: readonly Item[],
    weigh?: (item: Item) => number,
  ): Promise<Item[]>;
};

/** Reads what is left of a quota once for each principal, so that one transaction does not store beyond it. */
export function createDailyAllowance(transaction: Queryable, quota: DailyQuota): DailyAllowance {
  const left = new Map<string, number>();
  const readLeft = async (principalId: string) => {
    const [use] = await readDailyUse(transaction, quota, [principalId]);
    return use?.left ?? 0;
  };
  return {
    async take(items, weigh = () => 1) {
      const [first] = items;
      if (!first) return [];
      const { principalId } = first;
      let room = left.get(principalId) ?? (await readLeft(principalId));
      const taken = items.filter((item) => {
        const isTaken = room > 0;
        if (isTaken) room -= weigh(item);
        return isTaken;
      });
      left.set(principalId, room);
      return taken;
    },
  };
}
