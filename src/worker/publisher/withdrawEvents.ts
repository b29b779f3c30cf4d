import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';

/**
 * Withdraws unreleased events of blocks that fell out. Released ones stay, because they may have been read. The transaction must
 * be repeatable read, as a fold's is: then it fails if an event is released meanwhile.
 *
 * @returns how many of each.
 */
export async function withdrawEvents(
  transaction: Queryable,
  { chainId, numbers }: { chainId: number; numbers: readonly bigint[] },
): Promise<{ withdrawn: number; released: number }> {
  const { rows } = await transaction.execute<{ withdrawn: number; released: number }>(sql`
    with fallen as (
      select id, state from service.events
      where chain_id = ${chainId} and block_number = any(${arrayOf(numbers)}::bigint[])
    ), withdrawn as (
      update service.events event set state = 'withdrawn'
      from fallen where event.id = fallen.id and fallen.state = 'pending'
      returning event.id
    )
    select (select count(*)::int from withdrawn) as withdrawn,
      (select count(*)::int from fallen where state = 'released') as released`);
  return rows[0] ?? { withdrawn: 0, released: 0 };
}
