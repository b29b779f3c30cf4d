import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';
import { arrayOf } from '../database/statements.ts';
import { addJob } from '../jobs/addJob.ts';
import { sendMailTask } from './mailTask.ts';

/**
 * Releases the firings of a chain that wait in blocks up to `through`: nothing takes them back any more, and their mails are sent
 * as of the commit. Belongs beside the release of events, in the same transaction.
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
  const { rows } = await transaction.execute<{ firing_id: string }>(sql`
    with released as (
      update service.rule_firings set state = 'released'
      where chain_id = ${chainId} and state = 'pending' and block_number <= ${through} ${ofThem}
      returning id
    )
    update service.mails set status = 'due', updated_at = now()
    from released where firing_id = released.id and status = 'waiting'
    returning firing_id`);
  for (const { firing_id: firingId } of rows) await addJob(transaction, sendMailTask(firingId));
}
