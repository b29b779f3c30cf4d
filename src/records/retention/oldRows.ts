import type pg from 'pg';
import { withTransaction } from '../../platform/database/withTransaction.ts';

export const oldRowKinds = [
  'events',
  'eventParts',
  'deliveries',
  'attempts',
  'mails',
  'ruleFirings',
  'ruleSchedules',
  'usageDays',
] as const;

/** Rows of each kind that a step has removed, or would remove. */
export type OldRows = Record<(typeof oldRowKinds)[number], number>;

export const noOldRows: Readonly<OldRows> = {
  events: 0,
  eventParts: 0,
  deliveries: 0,
  attempts: 0,
  mails: 0,
  ruleFirings: 0,
  ruleSchedules: 0,
  usageDays: 0,
};

/**
 * An event is old if it was released before `$1`, even if a receiver has not taken it by now. It may have waited for its
 * confirmations for longer than events are kept. Its creation comes before its release, and has an index.
 */
const isOld = `event.created_at < $1 and event.state in ('released', 'withdrawn') and coalesce(event.released_at, event.created_at) < $1`;
/**
 * An old event's part is removed one step after the last event that uses it. Each column has its own index; `offset 0`
 * keeps the planner from a join with all events.
 */
const isOldPart = `part.used_at < $1
  and not exists (select 1 from service.events where notification_part_id = part.id offset 0)
  and not exists (select 1 from service.events where variables_part_id = part.id offset 0)`;
const isOldMail = `created_at < $1 and status in ('sent', 'failed', 'skipped', 'withdrawn')`;
/** The firing of a rule that fires once in a stay, while its date may still change: then nothing else says that it has fired. */
const isOnceInStay = `firing.occasion like '["stay",%' and exists (
    select 1 from service.rule_schedules schedule
    where schedule.record_id = firing.record_id and schedule.rule_id = firing.rule_id
      and (schedule.date is not null or schedule.starts_ms is null)
      and firing.occasion = '["stay",' || to_json(schedule.stay)::text || ']')`;
/** A firing's mail is removed before it; how often a rule has fired is counted elsewhere. */
const isOldFiring = (mail: string) => `firing.created_at < $1 and firing.state in ('released', 'withdrawn')
  and not (${isOnceInStay})
  and not exists (select 1 from service.mails mail where mail.firing_id = firing.id${mail})`;
/** Even if it is still due: its principal has used up its events for a long time. */
const isOldSchedule = `until_ms < extract(epoch from $1::timestamptz) * 1000`;

const countRows = `with old as materialized (select event.id from service.events event where ${isOld}),
    delivered as materialized (select id from service.deliveries where event_id in (select id from old))
  select (select count(*)::int from old) as events,
    (select count(*)::int from service.event_parts part where part.used_at < $1 and not exists (
      select 1 from service.events other
      where (other.notification_part_id = part.id or other.variables_part_id = part.id)
        and not exists (select 1 from old where old.id = other.id))) as "eventParts",
    (select count(*)::int from delivered) as deliveries,
    (select count(*)::int from service.delivery_attempts where delivery_id in (select id from delivered)) as attempts,
    (select count(*)::int from service.mails where ${isOldMail}) as mails,
    (select count(*)::int from service.rule_firings firing where ${isOldFiring(` and not (${isOldMail})`)}) as "ruleFirings",
    (select count(*)::int from service.rule_schedules where ${isOldSchedule}) as "ruleSchedules",
    (select count(*)::int from service.usage_days where day < $1)
      + (select count(*)::int from service.record_usage_days where day < $1) as "usageDays"`;

/** Longer than any count takes, and the most that a timer can wait: 0 would be the connection's own limit. */
const unlimitedMs = 2 ** 31 - 1;

/**
 * Counts the rows that are older than a time and would be removed. Reads all of them, for as long as that takes: the time limits of the
 * pool's statements do not apply.
 */
export function countOldRows(pool: pg.Pool, before: Date): Promise<OldRows> {
  return withTransaction(pool, async (client) => {
    await client.query('set local statement_timeout = 0');
    const count = { text: countRows, values: [before], query_timeout: unlimitedMs };
    const { rows } = await client.query<OldRows>(count);
    return rows[0] ?? noOldRows;
  });
}

const removeEvents = `
  with old as materialized (
    select event.id, event.principal_id, event.position from service.events event where ${isOld}
    order by event.created_at limit $2 for update skip locked),
  delivered as materialized (select id from service.deliveries where event_id in (select id from old) for update),
  attempts as (
    delete from service.delivery_attempts where delivery_id in (select id from delivered) returning 1),
  expired as (
    update service.event_feeds feed set expired_through = greatest(expired_through, last.position)
    from (select principal_id, max(position) as position from old where position is not null group by principal_id) as last
    where feed.principal_id = last.principal_id returning 1)
  select (select array_agg(id) from old) as events, (select array_agg(id) from delivered) as deliveries,
    (select count(*)::int from attempts) as attempts, (select count(*)::int from expired) as feeds`;

/** Removes up to `limit` old events and their dependent rows, in the caller's transaction. */
export async function removeOldEvents(
  client: Pick<pg.ClientBase, 'query'>,
  { before, limit }: { before: Date; limit: number },
): Promise<OldRows> {
  const { rows } = await client.query<{
    events: string[] | null;
    deliveries: string[] | null;
    attempts: number;
  }>(removeEvents, [before, limit]);
  const { events, deliveries, attempts = 0 } = rows[0] ?? {};
  if (!events) return noOldRows;
  // Dependent rows are removed before the row.
  await client.query('delete from service.deliveries where id = any($1::text[])', [deliveries ?? []]);
  await client.query('delete from service.events where id = any($1::text[])', [events]);
  return { ...noOldRows, events: events.length, deliveries: deliveries?.length ?? 0, attempts };
}

/** Removes up to this many old parts that no event uses any more. */
export async function removeOldParts(
  client: Pick<pg.ClientBase, 'query'>,
  { before, limit }: { before: Date; limit: number },
): Promise<OldRows> {
  const { rowCount } = await client.query(
    `delete from service.event_parts where id in (
      select part.id from service.event_parts part where ${isOldPart} order by part.used_at limit $2 for update skip locked)`,
    [before, limit],
  );
  return { ...noOldRows, eventParts: rowCount ?? 0 };
}

/** Removes up to this many old mails and schedules of rules, each, and daily usage rows. */
export async function removeOldRules(
  client: Pick<pg.ClientBase, 'query'>,
  { before, limit }: { before: Date; limit: number },
): Promise<OldRows> {
  const remove = async (text: string) => (await client.query(text, [before, limit])).rowCount ?? 0;
  const mails = await remove(`
    delete from service.mails where firing_id in (
      select firing_id from service.mails where ${isOldMail} order by created_at limit $2 for update skip locked)`);
  const ruleSchedules = await remove(`
    delete from service.rule_schedules where (record_id, rule_id, span) in (
      select record_id, rule_id, span from service.rule_schedules where ${isOldSchedule}
      order by until_ms limit $2 for update skip locked)`);
  const usageDays = await remove(`
    delete from service.usage_days where (principal_id, day) in (
      select principal_id, day from service.usage_days where day < $1 limit $2 for update skip locked)`);
  const ofRecords = await remove(`
    delete from service.record_usage_days where (record_id, day) in (
      select record_id, day from service.record_usage_days where day < $1 limit $2 for update skip locked)`);
  return { ...noOldRows, mails, ruleSchedules, usageDays: usageDays + ofRecords };
}

/**
 * Removes up to this many old firings of rules whose mails are removed. Passes over those that are kept for their stays, each time
 * over all of them.
 */
export async function removeOldFirings(
  client: Pick<pg.ClientBase, 'query'>,
  { before, limit }: { before: Date; limit: number },
): Promise<OldRows> {
  const { rowCount } = await client.query(
    `delete from service.rule_firings where id in (
      select firing.id from service.rule_firings firing where ${isOldFiring('')}
      order by firing.created_at limit $2 for update skip locked)`,
    [before, limit],
  );
  return { ...noOldRows, ruleFirings: rowCount ?? 0 };
}
