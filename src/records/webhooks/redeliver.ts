import { and, eq, ne, sql } from 'drizzle-orm';
import { inTransaction } from '../../platform/database/inTransaction.ts';
import { deliveries } from '../../platform/database/tables/webhooks.ts';
import type { DeliveryRow } from './deliveryResource.ts';
import { getDelivery } from './getDelivery.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';
import { requireActive } from './requireActive.ts';
import { wakeSubscription } from './wakeSubscription.ts';
import type { WebhookServices } from './webhookServices.ts';

/**
 * Has a delivery attempted again at once, also one that has succeeded: the same event with the same id, as often as a new one.
 * The attempts are numbered on. One that was not attempted yet is just on its way.
 *
 * @throws NotFoundError, AccessError as `getSubscription` and `getDelivery` do.
 * @throws RefusedError `webhook_disabled`.
 */
export async function redeliver(
  reference: SubscriptionReference,
  deliveryId: string,
  { database, webhookSettings }: Pick<WebhookServices, 'database' | 'webhookSettings'>,
): Promise<DeliveryRow> {
  const subscriptionId = reference.id;
  const subscription = await getSubscription(database, reference);
  await getDelivery(database, { subscriptionId, deliveryId });
  requireActive(subscription);
  return inTransaction(database, async (transaction) => {
    await transaction
      .update(deliveries)
      .set({
        status: 'retry_pending',
        attemptLimit: sql`${deliveries.attemptCount} + ${webhookSettings.attempts}::int`,
        nextAttemptAt: sql`now()`,
        completedAt: null,
        updatedAt: sql`now()`,
      })
      .where(and(eq(deliveries.id, deliveryId), ne(deliveries.status, 'pending')));
    await wakeSubscription(transaction, subscriptionId);
    return getDelivery(transaction, { subscriptionId, deliveryId });
  });
}
