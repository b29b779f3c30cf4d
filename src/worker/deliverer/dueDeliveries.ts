import type pg from 'pg';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { events } from '../../platform/database/tables/events.ts';
import type { deliveries, webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { joinedParts, wholeBodyBytes } from '../../records/events/eventParts.ts';
import { firstAttempts } from './firstAttempts.ts';

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
    /** Whether it was found by going round the records, and not by the order of the feed. */
    isOfRound: boolean;
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

/** A subscription with free places, and where going round its records goes on. */
export type WantedDeliveries = {
  readonly id: string;
  readonly free: number;
  /** Going round begins with the records after this one; after the last one comes the first. */
  readonly roundAfter: string;
  /** Whether the next place is for a delivery found by going round. */
  readonly isRoundNext: boolean;
};

const subscriptionsStatement = `
  select id, principal_id as "principalId", url, status = 'active' as "isActive", secret, previous_secret as "previousSecret",
    previous_secret_until as "previousSecretUntil", failures_in_row as "failuresInRow"
  from service.webhook_subscriptions where id = any($1::text[])`;

const dueStatement = `
  select due.id, due.subscription_id as "subscriptionId", due.event_id as "eventId", due.record_id as "recordId",
    due.status = 'pending' as "isFirst", due.is_of_round as "isOfRound", due.attempt_count as "attemptCount",
    due.attempt_limit as "attemptLimit", due.next_attempt_at::text as "dueAt", event.bytes as "bodyBytes",
    event.trace_parent as "traceParent"
  from unnest($1::text[], $2::int[], $5::text[], $6::boolean[])
    as wanted (subscription_id, free, round_after, is_round_next)
  cross join lateral (
    (select *, 0 as turn, false as is_of_round from service.deliveries
      where subscription_id = wanted.subscription_id and status = 'pending' and position is null and id <> all($3::text[])
      order by created_at limit wanted.free)
    union all
    (${firstAttempts})
    union all
    (select *, 0, false from service.deliveries
      where subscription_id = wanted.subscription_id and status = 'retry_pending' and next_attempt_at <= $4
        and id <> all($3::text[])
      order by next_attempt_at limit wanted.free)
  ) as due
  cross join lateral (
    select event.trace_parent, ${wholeBodyBytes} as bytes from service.events event ${joinedParts}
    where event.id = due.event_id offset 0) as event
  order by due.status = 'retry_pending', due.turn, due.next_attempt_at, due.created_at`;

export async function readSubscriptions(
  pool: pg.Pool,
  ids: readonly string[],
): Promise<Map<string, ServedSubscription>> {
  const rows = await runPrepared<ServedSubscription>(pool, subscriptionsStatement, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The deliveries that may be attempted at a time. Of each subscription up to `free` tests, first attempts and
 * retries, in this order: the earliest unattempted delivery of each record, and the due retries. First attempts come in
 * the order of the feed; if a record has several at its beginning, each second one comes by going round the records.
 * Deliveries in `inFlight` are left out and keep their record waiting. No body is read.
 */
export function findDueDeliveries(
  pool: pg.Pool,
  options: {
    wanted: readonly WantedDeliveries[];
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
    wanted.map(({ roundAfter }) => roundAfter),
    wanted.map(({ isRoundNext }) => String(isRoundNext)),
  ]);
}
