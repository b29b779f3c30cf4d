import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import type { mails } from '../../platform/database/tables/rules.ts';
import { queueMails } from './queueMails.ts';

type DueMailRow = RowOf<typeof mails, 'firing_id'> & RowOf<typeof records, 'principal_id'>;

/**
 * Releases a chain's waiting firings in blocks up to `through`: nothing withdraws them any more, and their
 * mails are sent after the commit. Call it with the release of events, in the same transaction.
 *
 * @param principals whose firings; everybody's unless given.
 */
export async function releaseFirings(
  transaction: Queryable,
  {
    chainId,
    through,
    principals,
  }: { chainId: number; through: bigint; principals?: readonly string[] | undefined },
): Promise<void> {
  const ofThem = principals
    ? sql`and record_id in (
        select id from service.records where principal_id = any(${arrayOf(principals)}::text[]))`
    : sql``;
  const { rows } = await transaction.execute<DueMailRow>(sql`
    with released as (
      update service.rule_firings set state = 'released'
      where chain_id = ${chainId} and state = 'pending' and block_number <= ${through} ${ofThem}
      returning id, record_id
    )
    update service.mails mail set status = 'due', updated_at = now()
    from released join service.records record on record.id = released.record_id
    where mail.firing_id = released.id and mail.status = 'waiting'
    returning mail.firing_id, record.principal_id`);
  await queueMails(
    transaction,
    rows.map(({ firing_id: firingId, principal_id: principalId }) => ({ firingId, principalId })),
  );
}
