import type pg from 'pg';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { events } from '../../platform/database/tables/events.ts';
import type { deliveries, webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { joinedParts, wholeBodyBytes } from '../../records/events/eventParts.ts';

export type DueDelivery = RowAs<
  typeof deliveries,
  {
    id: 'id';
    subscriptionId: 'subscription_id';
    eventId: 'event_id';
    /** The key of first attempts in order; null without an order. */
    recordId: 'record_id';
    attemptCount: 'attempt_count';
    attemptLimit: 'attempt_limit';
  }
> &
  /** The trace position of its event's writing; null without tracing. */
  RowAs<typeof events, { traceParent: 'trace_parent' }> & {
    isFirst: boolean;
    /** When a retry became due, as the database writes it; null for a first attempt. */
    dueAt: string | null;
    /** The size of its body, which is read only for deliveries that begin. */
    bodyBytes: number;
  };

/** A subscription's settings when its deliveries are read. */
export type ServedSubscription = RowAs<
  typeof webhookSubscriptions,
  {
    id: 'id';
    principalId: 'principal_id';
    url: 'url';
    secret: 'secret';
    previousSecret: 'previous_secret';
    failuresInRow: 'failures_in_row';
  }
> & { isActive: boolean; previousSecretUntil: Date | null };

/** The first delivery of each record is searched among this many waiting ones; the others follow later. */
const windowSize = 64;

const subscriptionsStatement = `
  select id, principal_id as "principalId", url, status = 'active' as "isActive", secret, previous_secret as "previousSecret",
    previous_secret_until as "previousSecretUntil", failures_in_row as "failuresInRow"
  from service.webhook_subscriptions where id = any($1::text[])`;

const dueStatement = `
  select due.id, due.subscription_id as "subscriptionId", due.event_id as "eventId", due.record_id as "recordId",
    due.status = 'pending' as "isFirst", due.attempt_count as "attemptCount", due.attempt_limit as "attemptLimit",
    due.next_attempt_at::text as "dueAt", event.bytes as "bodyBytes", event.trace_parent as "traceParent"
  from unnest($1::text[], $2::int[]) as wanted (subscription_id, free)
  cross join lateral (
    (select * from service.deliveries
      where subscription_id = wanted.subscription_id and status = 'pending' and position is null and id <> all($3::text[])
      order by created_at limit wanted.free)
    union all
    (select * from (
      select distinct on (record_id) * from (
        select * from service.deliveries
        where subscription_id = wanted.subscription_id and status = 'pending' and position is not null
        order by position limit ${windowSize}
      ) as waiting order by record_id, position
    ) as next where id <> all($3::text[]) order by position limit wanted.free)
    union all
    (select * from service.deliveries
      where subscription_id = wanted.subscription_id and status = 'retry_pending' and next_attempt_at <= $4
        and id <> all($3::text[])
      order by next_attempt_at limit wanted.free)
  ) as due
  cross join lateral (
    select event.trace_parent, ${wholeBodyBytes} as bytes from service.events event ${joinedParts}
    where event.id = due.event_id offset 0) as event
  order by due.status = 'retry_pending', due.position nulls first, due.next_attempt_at, due.created_at`;

export async function readSubscriptions(
  pool: pg.Pool,
  ids: readonly string[],
): Promise<Map<string, ServedSubscription>> {
  const rows = await runPrepared<ServedSubscription>(pool, subscriptionsStatement, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The deliveries that may be attempted at a time. Of each subscription up to `free` tests, first attempts and
 * retries, in this order: the earliest unattempted delivery of each record, in the order of the feed, and the
 * due retries. Deliveries in `inFlight` are left out and keep their record waiting. No body is read.
 */
export function findDueDeliveries(
  pool: pg.Pool,
  options: {
    wanted: readonly { id: string; free: number }[];
    inFlight: readonly string[];
    now: Date;
  },
): Promise<DueDelivery[]> {
  const { wanted, inFlight, now } = options;
  return runPrepared<DueDelivery>(pool, dueStatement, [
    wanted.map(({ id }) => id),
    wanted.map(({ free }) => free),
    inFlight,
    now,
  ]);
}
