import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { OrNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import type { ruleFirings } from '../../platform/database/tables/rules.ts';
import { queueMails } from './queueMails.ts';

/** A released firing, with the owner of its mail if one is due now. */
type ReleasedRow = RowOf<typeof ruleFirings, 'id' | 'record_id'> &
  OrNull<RowOf<typeof records, 'principal_id'>>;

const firingsAtOnce = 1_000;

/**
 * Releases a batch of a chain's waiting firings in blocks up to `through`: nothing withdraws them any more, and
 * their mails are sent after the commit. Call it with the release of events, in the same transaction.
 *
 * @param principals whose firings; everybody's unless given.
 * @returns whether there may be more.
 */
export async function releaseFirings(
  transaction: Queryable,
  {
    chainId,
    through,
    principals,
  }: { chainId: number; through: bigint; principals?: readonly string[] | undefined },
): Promise<boolean> {
  const ofThem = principals
    ? sql`and record_id in (
        select id from service.records where principal_id = any(${arrayOf(principals)}::text[]))`
    : sql``;
  const { rows } = await transaction.execute<ReleasedRow>(sql`
    with released as (
      update service.rule_firings set state = 'released'
      where id in (
        select id from service.rule_firings
        where chain_id = ${chainId} and state = 'pending' and block_number <= ${through} ${ofThem}
        order by block_number limit ${firingsAtOnce})
      returning id, record_id
    ), due as (
      update service.mails mail set status = 'due', updated_at = now()
      from released join service.records record on record.id = released.record_id
      where mail.firing_id = released.id and mail.status = 'waiting'
      returning mail.firing_id, record.principal_id
    )
    select released.id, released.record_id, due.principal_id from released left join due on due.firing_id = released.id`);
  await queueMails(
    transaction,
    rows.flatMap(({ id: firingId, record_id: recordId, principal_id: principalId }) =>
      principalId === null ? [] : { firingId, principalId, recordId },
    ),
  );
  return rows.length === firingsAtOnce;
}
