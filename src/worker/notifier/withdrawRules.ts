import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';

/**
 * Undoes the unreleased effects of rules in blocks that fell out: firings and mails are withdrawn, schedules
 * that began there are deleted, and schedules that ended there continue.
 */
export async function withdrawRules(
  transaction: Queryable,
  { chainId, numbers }: { chainId: number; numbers: readonly bigint[] },
): Promise<void> {
  const blocks = sql`any(${arrayOf(numbers)}::bigint[])`;
  await transaction.execute(sql`
    with withdrawn as (
      update service.rule_firings set state = 'withdrawn'
      where chain_id = ${chainId} and block_number = ${blocks} and state = 'pending'
      returning id, record_id, rule_id, recipient),
    uncounted as (
      update service.rule_counts counted set count = counted.count - less.count
      from (select record_id, rule_id, recipient, count(*)::int from withdrawn group by record_id, rule_id, recipient) as less
      where counted.record_id = less.record_id and counted.rule_id = less.rule_id and counted.recipient = less.recipient)
    update service.mails set status = 'withdrawn', updated_at = now()
    from withdrawn where firing_id = withdrawn.id and status = 'waiting'`);
  await transaction.execute(sql`
    delete from service.rule_schedules where chain_id = ${chainId} and since_block = ${blocks}`);
  await transaction.execute(sql`
    update service.rule_schedules set until_ms = null, until_block = null
    where chain_id = ${chainId} and until_block = ${blocks}`);
}
