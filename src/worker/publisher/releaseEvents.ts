import { type SQL, sql } from 'drizzle-orm';
import { channels } from '../../platform/database/channels.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, idsOf } from '../../platform/database/statements.ts';
import type { events } from '../../platform/database/tables/events.ts';
import { walkOwners } from '../../platform/database/walkOwners.ts';
import { closeBody } from '../../records/events/eventParts.ts';
import { lockFeeds, lockFreeFeeds } from '../../records/events/lockFeeds.ts';
import type { NewEvent } from '../../records/events/newEvent.ts';
import { countUse } from './countUse.ts';
import { type DeliverableEvent, planDeliveries } from './planDeliveries.ts';
import { storeEvents } from './storeEvents.ts';

/** Whether a chain has waiting events or mails in blocks up to `through`. */
export async function hasReleasable(
  transaction: Queryable,
  { chainId, through }: { chainId: number; through: bigint },
): Promise<boolean> {
  const { rows } = await transaction.execute<{ found: boolean }>(sql`
    select exists (select 1 from service.events where ${isDue(chainId, through)})
      or exists (select 1 from service.rule_firings where ${isDue(chainId, through)} and channel = 'email') as found`);
  return rows[0]?.found === true;
}

/** More events would make one transaction long. Each may need a delivery for each of many subscriptions. */
const eventsAtOnce = 500;
/** The most principals with waiting events, confirmed or not, that a batch reads. */
const principalsAtOnce = 200;

export type Release = {
  readonly released: number;
  /** The principals that may have more events to release, or whose feed others had locked. */
  readonly unfinished: readonly string[];
  /** The principal after whom the next batch of this round begins; undefined at the round's end. */
  readonly next: string | undefined;
};

/**
 * Releases a batch of a chain's waiting events in blocks up to `through`: of each principal the first ones in the
 * order of the chain, in turns over principals. They get the next positions in their principals' feeds, and their
 * deliveries are planned. The transaction must see concurrent commits, because all chains share the feeds; several
 * calls may run at once. Principals whose feeds others have locked are left for a later batch, so that nobody waits for
 * another principal's events.
 *
 * @param options.after the principal after whom this batch begins; undefined for the beginning of a round.
 */
export async function releaseEvents(
  transaction: Queryable,
  options: { chainId: number; through: bigint; after?: string | undefined },
): Promise<Release> {
  const { rows: looked } = await transaction.execute<TurnRow>(findTurns(options));
  const due = looked.filter(({ is_due: isDue }) => isDue).map(({ owner }) => owner);
  const release = await releaseFirst(transaction, { ...options, principals: due });
  const last = looked.length === principalsAtOnce ? looked.at(-1) : undefined;
  return { ...release, next: last?.owner };
}

type FirstEvents = { chainId: number; through: bigint; principals: readonly string[] };

/**
 * Releases the first waiting events of these principals, and keeps their feeds locked, except for those that others
 * have locked.
 */
export async function releaseFirst(
  transaction: Queryable,
  { principals: due, ...first }: FirstEvents,
): Promise<Omit<Release, 'next'>> {
  const principals = due.length > 0 ? await lockFreeFeeds(transaction, due) : [];
  const busy = due.filter((id) => !principals.includes(id));
  const { released, unfinished } = await releaseLocked(transaction, { ...first, principals });
  return { released, unfinished: [...unfinished, ...busy] };
}

async function releaseLocked(
  transaction: Queryable,
  { chainId, through, principals }: FirstEvents,
): Promise<Omit<Release, 'next'>> {
  if (principals.length === 0) return { released: 0, unfinished: [] };
  const share = Math.ceil(eventsAtOnce / principals.length);
  const { owners: released } = await release(
    transaction,
    sql`
    select due.* from unnest(${arrayOf(principals)}::text[]) as turn(principal_id) cross join lateral (
      select * from service.events
      where principal_id = turn.principal_id and ${isDue(chainId, through)}
      order by block_number, record_id, block_order, created_at, id limit ${share}) as due`,
  );
  const counts = Map.groupBy(released, (principalId) => principalId);
  const unfinished = principals.filter((id) => (counts.get(id)?.length ?? 0) >= share);
  return { released: released.length, unfinished };
}

type TurnRow = { owner: string; is_due: boolean };

/** Principals with waiting events, each found by one step in the index, however many events it has. */
function findTurns({
  chainId,
  through,
  after,
}: {
  chainId: number;
  through: bigint;
  after?: string | undefined;
}): SQL {
  const firstOf = (position: SQL) => sql`
    select principal_id as owner, block_number from service.events
    where state = 'pending' and chain_id = ${chainId} and ${position} order by principal_id, block_number limit 1`;
  return sql`
    ${walkOwners({ owner: sql`principal_id`, firstOf, after, limit: principalsAtOnce })}
    select owner, block_number <= ${through} as is_due from round order by place`;
}

/**
 * Stores and releases events that need no confirmation, in a transaction as for `releaseEvents`. Returns how many
 * deliveries it has planned.
 */
export async function releaseNow(transaction: Queryable, events: readonly NewEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  await storeEvents(transaction, events);
  await lockFeeds(
    transaction,
    events.map(({ principalId }) => principalId),
  );
  const ids = arrayOf(events.map(({ id }) => id));
  const { deliveries } = await release(
    transaction,
    sql`select * from service.events where state = 'pending' and id = any(${ids}::text[])`,
  );
  return deliveries;
}

function isDue(chainId: number, through: bigint): SQL {
  return sql`state = 'pending' and chain_id = ${chainId} and block_number <= ${through}`;
}

type ReleasedRow = RowOf<
  typeof events,
  'id' | 'principal_id' | 'record_id' | 'type' | 'body' | 'notification_part_id' | 'variables_part_id'
> &
  NotNull<RowOf<typeof events, 'position'>>;

/**
 * Releases these events, whose feeds are locked: so no position appears before a lower one, and new subscribers miss
 * nothing.
 *
 * @returns the principal of each, and the number of their deliveries.
 */
async function release(
  transaction: Queryable,
  which: SQL,
): Promise<{ owners: string[]; deliveries: number }> {
  const ids = await idsOf(
    transaction,
    sql`select id from (${which}) as due order by block_number, record_id, block_order, created_at, id`,
  );
  if (ids.length === 0) return { owners: [], deliveries: 0 };
  // `|| ''` keeps the planner from an index over states, so that each event is found by its id. Events are locked because a fold may
  // withdraw one at the same time: a release for a rule does not hold the chain's lock.
  const { rows } = await transaction.execute<ReleasedRow>(sql`
    with locked as materialized (
      select due.id, due.principal_id, chosen.place
      from unnest(${arrayOf(ids)}::text[]) with ordinality as chosen(id, place)
      join service.events due on due.id = chosen.id and due.state || '' = 'pending'
      order by chosen.place for no key update of due
    ), numbered as (
      select locked.id, feed.last_position + row_number() over (partition by principal_id order by locked.place) as position
      from locked join service.event_feeds feed using (principal_id)
    ), released as (
      update service.events event set state = 'released', position = numbered.position, released_at = now()
      from numbered where event.id = numbered.id
      returning event.id, event.principal_id, event.record_id, event.position, event.type, event.body, event.notification_part_id, event.variables_part_id
    ), counted as (
      update service.event_feeds feed set last_position = last.position
      from (select principal_id, max(position) as position from released group by principal_id) as last
      where feed.principal_id = last.principal_id
    )
    select * from released order by principal_id, position`);
  await releaseFirings(transaction, rows);
  const owners = rows.map(({ principal_id: id }) => id);
  const deliveries = await planDeliveries(transaction, rows.map(eventOf));
  await transaction.execute(
    sql`select pg_notify(${channels.eventsReleased}, id) from unnest(${arrayOf([...new Set(owners)])}::text[]) as id`,
  );
  await countUse(transaction, rows);
  return { owners, deliveries };
}

/** A rule's firing is released with its event: otherwise a reorg in between would withdraw the firing alone. */
async function releaseFirings(transaction: Queryable, released: readonly ReleasedRow[]): Promise<void> {
  const ids = released.flatMap(({ id, type }) => (type === 'agreement.notification.triggered' ? id : []));
  if (ids.length === 0) return;
  await transaction.execute(sql`
    update service.rule_firings set state = 'released'
    where id = any(${arrayOf(ids)}::text[]) and state || '' = 'pending'`);
}

function eventOf(row: ReleasedRow): DeliverableEvent {
  return {
    id: row.id,
    principalId: row.principal_id,
    recordId: row.record_id,
    position: Number(row.position),
    type: row.type,
    facts: closeBody(row.body, row.variables_part_id !== null),
  };
}
