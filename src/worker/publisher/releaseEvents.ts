import { type SQL, sql } from 'drizzle-orm';
import { channels } from '../../platform/database/channels.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { events } from '../../platform/database/tables/events.ts';
import { closeBody } from '../../records/events/eventParts.ts';
import { lockFeeds } from '../../records/events/lockFeeds.ts';
import type { NewEvent } from '../../records/events/newEvent.ts';
import { addUsage } from '../../records/quotas/usage.ts';
import { type DeliverableEvent, planDeliveries } from './planDeliveries.ts';
import { storeEvents } from './storeEvents.ts';

/** Whether a chain has waiting events in blocks up to `through`. */
export async function hasReleasable(
  transaction: Queryable,
  { chainId, through }: { chainId: number; through: bigint },
): Promise<boolean> {
  const { rows } = await transaction.execute<{ found: boolean }>(sql`
    select exists (select 1 from service.events where ${isDue(chainId, through)}) as found`);
  return rows[0]?.found === true;
}

/**
 * Releases a chain's waiting events in blocks up to `through`, in the order of the chain: they get the next
 * positions in their principals' feeds, and their deliveries are planned. The transaction must see concurrent
 * commits, because all chains share the feeds; several calls may run at once.
 *
 * @param principals whose events; everybody's unless given. Whoever names some holds their feeds already.
 * @returns how many were released.
 */
export function releaseEvents(
  transaction: Queryable,
  {
    chainId,
    through,
    principals,
  }: { chainId: number; through: bigint; principals?: readonly string[] | undefined },
): Promise<number> {
  const due = isDue(chainId, through);
  if (!principals) return release(transaction, due);
  return release(transaction, sql`${due} and principal_id = any(${arrayOf(principals)}::text[])`);
}

/** Stores and releases events that need no confirmation, in a transaction as for `releaseEvents`. */
export async function releaseNow(transaction: Queryable, events: readonly NewEvent[]): Promise<number> {
  await storeEvents(transaction, events);
  const ids = events.map(({ id }) => id);
  return release(transaction, sql`state = 'pending' and id = any(${arrayOf(ids)}::text[])`);
}

function isDue(chainId: number, through: bigint): SQL {
  return sql`state = 'pending' and chain_id = ${chainId} and block_number <= ${through}`;
}

type ReleasedRow = RowOf<typeof events, 'id' | 'principal_id' | 'record_id' | 'type' | 'body'> &
  NotNull<RowOf<typeof events, 'position'>> & { has_parts: boolean };

async function release(transaction: Queryable, which: SQL): Promise<number> {
  const { rows: waiting } = await transaction.execute<RowOf<typeof events, 'principal_id'>>(sql`
    select distinct principal_id from service.events where ${which}`);
  if (waiting.length === 0) return 0;
  const principals = waiting.map(({ principal_id }) => principal_id);
  // So that no position appears before a lower one, and new subscribers miss nothing.
  await lockFeeds(transaction, principals);
  const { rows } = await transaction.execute<ReleasedRow>(sql`
    with numbered as (
      select id, feed.last_position + row_number() over (
        partition by principal_id order by block_number, record_id, block_order, created_at, id) as position
      from service.events join service.event_feeds feed using (principal_id)
      where ${which} and principal_id = any(${arrayOf(principals)}::text[])
    ), released as (
      update service.events event set state = 'released', position = numbered.position, released_at = now()
      from numbered where event.id = numbered.id
      returning event.id, event.principal_id, event.record_id, event.position, event.type, event.body, event.variables_part_id is not null as has_parts
    ), counted as (
      update service.event_feeds feed set last_position = last.position
      from (select principal_id, max(position) as position from released group by principal_id) as last
      where feed.principal_id = last.principal_id
    )
    select * from released order by principal_id, position`);
  await planDeliveries(transaction, rows.map(eventOf));
  await transaction.execute(
    sql`select pg_notify(${channels.eventsReleased}, id) from unnest(${arrayOf(principals)}::text[]) as id`,
  );
  await addUsage(
    transaction,
    rows.map(({ principal_id: principalId }) => ({ principalId, events: 1 })),
  );
  return rows.length;
}

function eventOf(row: ReleasedRow): DeliverableEvent {
  return {
    id: row.id,
    principalId: row.principal_id,
    recordId: row.record_id,
    position: Number(row.position),
    type: row.type,
    facts: closeBody(row.body, row.has_parts),
  };
}
