import { type SQL, sql } from 'drizzle-orm';
import { channels } from '../../platform/database/channels.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { disabledReason } from './requireActive.ts';

/** The most deliveries that one step fails: however many wait, the statement is quick and its locks are brief. */
export const failedAtOnce = 1_000;
/** The most subscriptions that share a step; each gets the same part of it. */
const subscriptionsAtOnce = 50;

/**
 * Fails some of the waiting deliveries of these subscriptions, except of those that are active again by now. If there
 * are many subscriptions, only the first are handled.
 *
 * @param options.inFlight deliveries that are left alone.
 * @returns the subscriptions that may have more to fail, in a later step.
 */
export async function failWaiting(
  database: Queryable,
  {
    subscriptionIds,
    inFlight,
    now,
  }: { subscriptionIds: readonly string[]; inFlight: readonly string[]; now: Date },
): Promise<string[]> {
  const ids = subscriptionIds.slice(0, subscriptionsAtOnce);
  const share = Math.floor(failedAtOnce / Math.max(ids.length, 1));
  const waitingAs = (status: string, order: SQL) => sql`
    select id from service.deliveries
    where subscription_id = subscription.id and status = ${sql.raw(`'${status}'`)} and id <> all(${arrayOf(inFlight)}::text[])
    order by ${order} limit ${share}`;
  const { rows } = await database.execute<
    RowAs<typeof webhookSubscriptions, { id: 'id' }> & { found: number }
  >(sql`
    with waiting as materialized (
      select subscription.id as subscription_id, step.id
      from service.webhook_subscriptions as subscription cross join lateral (
        select id from (
          (${waitingAs('pending', sql`position`)}) union all (${waitingAs('retry_pending', sql`next_attempt_at`)})
        ) as either limit ${share}) as step
      where subscription.id = any(${arrayOf(ids)}::text[]) and subscription.status <> 'active'
    ), locked as materialized (
      select id from service.deliveries
      where id = any(array(select id from waiting)) and status in ('pending', 'retry_pending')
      order by id for no key update
    ), failed as (
      update service.deliveries as delivery set status = 'failed', error = ${disabledReason}, next_attempt_at = null,
        updated_at = ${now}::timestamptz, completed_at = ${now}::timestamptz
      from locked where delivery.id = locked.id
      returning delivery.id, delivery.attempt_limit
    )
    select waiting.subscription_id as id, count(*)::int as found,
      count(pg_notify(${channels.deliveryChanged}, failed.id)) filter (where failed.attempt_limit is not null)
    from waiting left join failed on failed.id = waiting.id
    group by waiting.subscription_id`);
  const cut = rows.filter(({ found }) => found >= share).map(({ id }) => id);
  return [...cut, ...subscriptionIds.slice(subscriptionsAtOnce)];
}
