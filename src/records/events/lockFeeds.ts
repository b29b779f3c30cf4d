import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';

/**
 * Waits for running releases to principals, and prevents new ones until the end of the transaction. All
 * callers take the rows in one order, to avoid deadlocks: a caller with several feeds takes them at once.
 */
export async function lockFeeds(transaction: Queryable, principals: readonly string[]): Promise<void> {
  const ids = sql`${arrayOf([...new Set(principals)])}::text[]`;
  await transaction.execute(sql`
    insert into service.event_feeds (principal_id, last_position)
    select id, 0 from unnest(${ids}) as id order by id
    on conflict do nothing`);
  await transaction.execute(sql`
    select 1 from service.event_feeds where principal_id = any(${ids}) order by principal_id for update`);
}
