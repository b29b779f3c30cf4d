import { and, eq, ne, sql } from 'drizzle-orm';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { deliveries } from '../../platform/database/tables/webhooks.ts';
import type { DeliveryRow } from './deliveryResource.ts';
import { getDelivery } from './getDelivery.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';
import { requireActive } from './requireActive.ts';
import { wakeSubscription } from './wakeSubscription.ts';
import type { WebhookServices } from './webhookServices.ts';

/**
 * Retries a delivery at once, even a successful one: the same event with the same id, with as many attempts
 * as a new one. Attempt numbers continue. A delivery that was not attempted yet just goes on.
 *
 * @throws NotFoundError, AccessError as `getSubscription` and `getDelivery` do.
 * @throws RefusedError `webhook_disabled`.
 */
export async function redeliver(
  reference: SubscriptionReference,
  deliveryId: string,
  { database, quotas, webhookSettings }: Pick<WebhookServices, 'database' | 'quotas' | 'webhookSettings'>,
): Promise<DeliveryRow> {
  const subscriptionId = reference.id;
  const subscription = await getSubscription(database, reference);
  await getDelivery(database, { subscriptionId, deliveryId });
  requireActive(subscription);
  const redelivered = await inOwnTransaction(database, reference.principalId, async (transaction) => {
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
  quotas.note(reference.principalId, { events: 1 });
  return redelivered;
}
