import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf, idsOf } from '../../platform/database/statements.ts';

/**
 * Waits for running releases to principals, and prevents new ones until the end of the transaction. All
 * callers take the rows in one order, to avoid deadlocks: a caller with several feeds takes them at once.
 */
export async function lockFeeds(transaction: Queryable, principals: readonly string[]): Promise<void> {
  const ids = idArray(principals);
  await createFeeds(transaction, ids);
  await transaction.execute(sql`
    select 1 from service.event_feeds where principal_id = any(${ids}) order by principal_id for update`);
}

/** Like `lockFeeds`, but only for those that nobody has locked. Returns these. */
export async function lockFreeFeeds(
  transaction: Queryable,
  principals: readonly string[],
): Promise<string[]> {
  const ids = idArray(principals);
  await createFeeds(transaction, ids);
  return idsOf(
    transaction,
    sql`select principal_id as id from service.event_feeds
    where principal_id = any(${ids}) order by principal_id for update skip locked`,
  );
}

function idArray(principals: readonly string[]): SQL {
  return sql`${arrayOf([...new Set(principals)])}::text[]`;
}

/**
 * Only those that are missing: PostgreSQL would wait for whoever has changed an existing one, even though the row is not to be
 * inserted.
 */
async function createFeeds(transaction: Queryable, ids: SQL): Promise<void> {
  await transaction.execute(sql`
    insert into service.event_feeds (principal_id, last_position)
    select id, 0 from unnest(${ids}) as id
    where not exists (select 1 from service.event_feeds where principal_id = id) order by id
    on conflict do nothing`);
}
