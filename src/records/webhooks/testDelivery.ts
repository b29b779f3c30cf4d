import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database, DatabaseTransaction } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { events } from '../../platform/database/tables/events.ts';
import { type DeliveryStatus, deliveries } from '../../platform/database/tables/webhooks.ts';
import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { currentTraceParent } from '../../platform/tracing/tracing.ts';
import { writeEnvelope } from '../events/envelope.ts';
import { getDelivery } from './getDelivery.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';
import { requireActive } from './requireActive.ts';
import { wakeSubscription } from './wakeSubscription.ts';
import type { WebhookServices } from './webhookServices.ts';

/** Time that a worker may need in addition to the attempt itself. */
const marginMs = 5_000;
/** The most tests of one subscription that wait for their first attempt, so that a dead receiver gathers no heap of them. */
const mostWaiting = 10;
const retryAfterSeconds = 10;

export type TestOutcome = {
  /** Whether the first attempt succeeded. */
  readonly ok: boolean;
  readonly deliveryId: string;
  readonly status: DeliveryStatus;
  readonly responseStatus?: number | undefined;
  readonly error?: string | undefined;
};

/**
 * Sends a `webhook.test` event to a principal's subscription, by a worker like every event, and returns the
 * result of the first attempt. The status is `pending` if no worker got to it in time.
 *
 * @throws NotFoundError, AccessError as `getSubscription` does; RefusedError `webhook_disabled`.
 * @throws RateLimitedError while too many tests of the subscription wait for their first attempt.
 */
export async function testDelivery(
  reference: SubscriptionReference,
  {
    database,
    changes,
    quotas,
    webhookSettings,
  }: Pick<WebhookServices, 'database' | 'changes' | 'quotas' | 'webhookSettings'>,
): Promise<TestOutcome> {
  requireActive(await getSubscription(database, reference));
  const subscriptionId = reference.id;
  const { deliveryId } = await planTest(database, reference, webhookSettings.attempts);
  quotas.note(reference.principalId, { events: 1 });
  const { status, responseStatus, error, attemptCount } = await changes.waitFor({
    ids: [deliveryId],
    read: () => getDelivery(database, { subscriptionId, deliveryId }),
    isSettled: (delivery) => delivery.status !== 'pending',
    timeoutMs: webhookSettings.timeoutMs + marginMs,
  });
  return {
    ok: status === 'succeeded' && attemptCount === 1,
    deliveryId,
    status,
    responseStatus: responseStatus ?? undefined,
    error: error ?? undefined,
  };
}

/**
 * Plans the delivery of a test event, which is in no feed and waits for no chain. The caller counts it.
 *
 * @param attempts how often it is attempted at most.
 * @throws RateLimitedError while too many tests of the subscription wait for their first attempt.
 */
export function planTest(
  database: Database,
  reference: SubscriptionReference,
  attempts: number,
): Promise<{ deliveryId: string }> {
  const { id: subscriptionId, principalId } = reference;
  const eventId = createId('evt');
  const deliveryId = createId('dlv');
  const type = 'webhook.test';
  const createdAt = new Date();
  const body = writeEnvelope({ id: eventId, type, createdAt, data: {} });
  return inOwnTransaction(database, principalId, async (transaction) => {
    await requireFewWaiting(transaction, reference);
    await transaction.insert(events).values({
      id: eventId,
      principalId,
      type,
      body,
      state: 'released',
      createdAt,
      releasedAt: createdAt,
      traceParent: currentTraceParent(),
    });
    await transaction
      .insert(deliveries)
      .values({ id: deliveryId, subscriptionId, eventId, attemptLimit: attempts, createdAt });
    await wakeSubscription(transaction, subscriptionId);
    return { deliveryId };
  });
}

/** Concurrent tests are counted one after the other. */
async function requireFewWaiting(
  transaction: DatabaseTransaction,
  reference: SubscriptionReference,
): Promise<void> {
  await getSubscription(transaction, reference, { isLocked: true });
  const waiting = await transaction
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.subscriptionId, reference.id),
        sql`${deliveries.status} = 'pending'`,
        isNull(deliveries.position),
      ),
    )
    .limit(mostWaiting);
  if (waiting.length < mostWaiting) return;
  const message = `${mostWaiting} tests of the webhook are still waiting for their first attempt.`;
  throw new RateLimitedError(message, { retryAfterSeconds });
}
