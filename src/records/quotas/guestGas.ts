import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import { leftToday, usedByRecord } from './dailyUse.ts';

/**
 * Whether a record's guests have used less gas today than is left to its principal: whoever may sign for one agreement
 * can use up half of the quota at most, and leaves as much to the principal and to the guests of its other agreements.
 */
export async function leavesGas(
  database: Queryable,
  { principalId, recordId }: { readonly principalId: string; readonly recordId: string },
): Promise<boolean> {
  const used = usedByRecord('gasPerDay', sql`${recordId}`);
  const left = leftToday('gasPerDay', sql`${principalId}`);
  const { rows } = await database.execute<{ leaves: boolean }>(sql`select ${used} < ${left} as leaves`);
  return rows[0]?.leaves === true;
}

/** Of these transactions' gas, what guests of records have used, by record. */
export async function findGuestGas(
  database: Queryable,
  used: readonly { readonly id: string; readonly gas: bigint }[],
): Promise<{ recordId: string; guestGas: bigint }[]> {
  const { rows } = await database.execute<{ id: string; record_id: string }>(sql`
    select sent.id, input.record_id
    from service.transactions sent
    join service.inputs input on input.transaction_id = sent.id and input.user_id = sent.principal_id
    where sent.id = any(${arrayOf(used.map(({ id }) => id))}::text[]) and (sent.admission->>'isGuests')::boolean`);
  const recordOf = new Map(rows.map(({ id, record_id: recordId }) => [id, recordId]));
  return used.flatMap(({ id, gas: guestGas }) => {
    const recordId = recordOf.get(id);
    return recordId === undefined ? [] : [{ recordId, guestGas }];
  });
}
