import { inArray, sql } from 'drizzle-orm';
import type { DatabaseTransaction } from '../../platform/database/database.ts';
import { deliverySeats, webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';

/** The most disabled subscriptions of a principal that are kept beside a new one. */
export const keptDisabled = 2_000;
/** How many more than that are removed at once, if a principal has them from a time without this limit. */
const removedAtOnce = 100;

/**
 * Makes room for a new subscription of a principal whose subscriptions are locked. At the limit of disabled
 * subscriptions, removes those without deliveries that have been disabled longest.
 *
 * @throws RefusedError `webhook_limit_reached` if all of them have deliveries.
 */
export async function removeLongDisabled(
  transaction: DatabaseTransaction,
  principalId: string,
): Promise<void> {
  const { rows } = await transaction.execute<{ count: number; removable: string[] | null }>(sql`
    with disabled as materialized (
      select id, updated_at from service.webhook_subscriptions
      where principal_id = ${principalId} and status = 'disabled'
      order by created_at, id limit ${keptDisabled + removedAtOnce - 1}
    ), removable as (
      select subscription.id from disabled
      join service.webhook_subscriptions subscription on subscription.id = disabled.id
      where not exists (select 1 from service.deliveries where subscription_id = disabled.id offset 0)
      order by disabled.updated_at
      limit greatest((select count(*) from disabled) - ${keptDisabled - 1}, 0)
      for update of subscription skip locked
    )
    select (select count(*)::int from disabled) as count, (select array_agg(id) from removable) as removable`);
  const { count = 0, removable } = rows[0] ?? {};
  if (count < keptDisabled) return;
  if (!removable) {
    const message =
      'The principal has reached its limit of disabled webhooks with deliveries. Use one of them again.';
    throw new RefusedError('webhook_limit_reached', message, { facts: { limit: keptDisabled } });
  }
  await transaction.delete(deliverySeats).where(inArray(deliverySeats.subscriptionId, removable));
  await transaction.delete(webhookSubscriptions).where(inArray(webhookSubscriptions.id, removable));
}
