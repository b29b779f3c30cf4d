import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { inTransaction } from '../../platform/database/inTransaction.ts';
import {
  deliveries,
  type SubscribableEventType,
  type SubscriptionFilters,
  webhookSubscriptions,
} from '../../platform/database/tables/webhooks.ts';
import { lockFeeds } from '../events/lockFeeds.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';
import { disabledReason } from './requireActive.ts';
import { lockSubscriptionsOf, requireVacancy } from './requireVacancy.ts';
import { defaultEventTypes } from './subscriptionFilters.ts';
import { type SubscriptionRow, subscriptionColumns } from './subscriptionResource.ts';
import { requireTarget } from './targetUrl.ts';
import { wakeSubscription } from './wakeSubscription.ts';
import type { WebhookServices } from './webhookServices.ts';

/** Absent members stay unchanged. */
export type SubscriptionChange = {
  readonly url?: string | undefined;
  /** Null or empty: the default types again. */
  readonly eventTypes?: readonly SubscribableEventType[] | null | undefined;
  /** Replaced as a whole; null for none. */
  readonly filters?: SubscriptionFilters | null | undefined;
  readonly status?: 'active' | 'disabled' | undefined;
};

/**
 * Changes a principal's subscription. Planned deliveries go to the new address; types and filters apply to
 * later releases. A disabled subscription gets no more deliveries: pending ones end as failed, and can be
 * recovered once it is active again.
 *
 * @throws NotFoundError, AccessError as `getSubscription` does.
 * @throws RefusedError `webhook_target_not_allowed`, and `webhook_limit_reached` where it would become active.
 */
export async function updateSubscription(
  reference: SubscriptionReference,
  change: SubscriptionChange,
  {
    database,
    webhookSettings,
    targetRules,
  }: Pick<WebhookServices, 'database' | 'webhookSettings' | 'targetRules'>,
): Promise<SubscriptionRow> {
  const { id, principalId } = reference;
  const { url, eventTypes, filters, status } = change;
  await getSubscription(database, reference);
  if (url !== undefined) await requireTarget(url, targetRules);
  return inTransaction(database, async (transaction) => {
    // Before the subscription's own lock, in the same order as everywhere.
    if (status === 'active') {
      await lockSubscriptionsOf(transaction, principalId);
      const present = await getSubscription(transaction, reference);
      // Nobody else activates it meanwhile. Deliveries are locked before their subscription, in the same
      // order as when attempts are recorded.
      if (present.status !== 'active') await failUndelivered(transaction, id);
    }
    const before = await getSubscription(transaction, reference, { isLocked: true });
    const others = [url, eventTypes, filters];
    const isStatusKept = status === undefined || status === before.status;
    if (isStatusKept && others.every((member) => member === undefined)) return before;
    if (status === 'active' && before.status !== 'active')
      await requireVacancy(transaction, { principalId, limit: webhookSettings.subscriptions });
    const [after] = await transaction
      .update(webhookSubscriptions)
      .set({
        ...(url !== undefined && { url }),
        ...(eventTypes !== undefined && { eventTypes: eventTypes?.length ? eventTypes : defaultEventTypes }),
        ...(filters !== undefined && { filters }),
        ...(status !== undefined && { status }),
        updatedAt: sql`now()`,
      })
      .where(eq(webhookSubscriptions.id, id))
      .returning(subscriptionColumns);
    if (!after) throw new Error(`the subscription ${id} is gone`);
    // A concurrent release with the old settings is in the feed before this commit.
    await lockFeeds(transaction, [principalId]);
    if (after.status !== before.status) await wakeSubscription(transaction, id);
    return after;
  });
}

/** A worker does the same as soon as a subscription is disabled, but there may have been no worker since. */
async function failUndelivered(transaction: Queryable, subscriptionId: string): Promise<void> {
  await transaction
    .update(deliveries)
    .set({
      status: 'failed',
      error: disabledReason,
      nextAttemptAt: null,
      completedAt: sql`now()`,
      updatedAt: sql`now()`,
    })
    .where(
      and(
        eq(deliveries.subscriptionId, subscriptionId),
        inArray(deliveries.status, ['pending', 'retry_pending']),
      ),
    );
}
