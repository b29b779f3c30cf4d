import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import { type DailyQuota, leftToday, usedByRecord, usedToday } from '../../records/quotas/dailyUse.ts';

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

/** What these records have used of a quota today. */
export async function readUsedByRecords(
  transaction: Queryable,
  quota: DailyQuota,
  recordIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await transaction.execute<{ id: string; used: string }>(sql`
    select record.id, (${usedByRecord(quota, sql`record.id`)})::text as used
    from unnest(${arrayOf(recordIds)}::text[]) as record(id)`);
  return new Map(rows.map(({ id, used }) => [id, Number(used)]));
}

/** How much more one transaction may store for each principal today. */
export type DailyAllowance = {
  /**
   * Returns those of one record's items that may be stored, in their order.
   *
   * @param weigh an item's use; 1 if left out. The last item may exceed what is left.
   */
  take<Item extends { readonly principalId: string; readonly recordId: string }>(
    items: readonly Item[],
    weigh?: (item: Item) => number,
  ): Promise<Item[]>;
};

/**
 * Reads what is left of a quota once for each principal, so that one transaction does not store beyond it. A record may
 * use no more of it than is then left to its principal: whoever may move one agreement cannot silence
 * the rules of all others.
 */
export function createDailyAllowance(transaction: Queryable, quota: DailyQuota): DailyAllowance {
  const left = new Map<string, number>();
  const shares = new Map<string, number>();
  const readLeft = async (principalId: string) => {
    const [use] = await readDailyUse(transaction, quota, [principalId]);
    return use?.left ?? 0;
  };
  return {
    async take(items, weigh = () => 1) {
      const [first] = items;
      if (!first) return [];
      const { principalId, recordId } = first;
      let room = left.get(principalId) ?? (await readLeft(principalId));
      let used =
        shares.get(recordId) ?? (await readUsedByRecords(transaction, quota, [recordId])).get(recordId) ?? 0;
      const taken = items.filter((item) => {
        if (room <= used) return false;
        const weight = weigh(item);
        room -= weight;
        used += weight;
        return true;
      });
      left.set(principalId, room);
      shares.set(recordId, used);
      return taken;
    },
  };
}
