import { eq, sql } from 'drizzle-orm';
import type { DatabaseTransaction } from '../../platform/database/database.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import {
  type SubscribableEventType,
  type SubscriptionFilters,
  webhookSubscriptions,
} from '../../platform/database/tables/webhooks.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { lockFeeds } from '../events/lockFeeds.ts';
import { lockPrincipal } from '../principals/lockPrincipal.ts';
import { requireActiveKey } from '../principals/requireActiveKey.ts';
import { failWaiting } from './failWaiting.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';
import { requireVacancy } from './requireVacancy.ts';
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
  /** The key of the request. The change outlives it, so it must still be active when the change is stored. */
  readonly apiKeyId?: string | undefined;
};

/** As it was when the change took effect, and as it is since. */
export type ChangedSubscription = { readonly before: SubscriptionRow; readonly after: SubscriptionRow };

/** How many steps of failing deliveries one request takes; a worker may take the others. */
const mostSteps = 10;

/**
 * Changes a principal's subscription. Planned deliveries go to the new address; types and filters apply to
 * later releases. A disabled subscription gets no more deliveries: pending ones end as failed, and can be
 * recovered once it is active again. It becomes active only when all have ended.
 *
 * @throws NotFoundError, AccessError as `getSubscription` does.
 * @throws AccessError `unauthorized` if the key has been revoked meanwhile: resolving the host may take seconds.
 * @throws RefusedError `webhook_target_not_allowed`. When activating: `webhook_limit_reached`, or `webhook_disabled`
 * while pending deliveries are still being failed.
 */
export async function updateSubscription(
  reference: SubscriptionReference,
  change: SubscriptionChange,
  services: Pick<WebhookServices, 'database' | 'webhookSettings' | 'targetRules'>,
): Promise<ChangedSubscription> {
  const { database, targetRules } = services;
  const { url } = change;
  await getSubscription(database, reference);
  if (url !== undefined) await requireTarget(url, targetRules);
  for (let step = 0; step < mostSteps; step++) {
    const changed = await inOwnTransaction(database, reference.principalId, (transaction) =>
      changeOrFail(transaction, { reference, change, services }),
    );
    if (changed) return changed;
  }
  throw new RefusedError(
    'webhook_disabled',
    'The pending deliveries of the disabled webhook are still being marked as failed. Try again in some seconds.',
  );
}

/**
 * Makes the change. If the subscription would become active, its waiting deliveries fail before, one step of them
 * in each transaction.
 *
 * @returns undefined if there may be more of them.
 */
async function changeOrFail(
  transaction: DatabaseTransaction,
  {
    reference,
    change,
    services: { webhookSettings },
  }: {
    reference: SubscriptionReference;
    change: SubscriptionChange;
    services: Pick<WebhookServices, 'webhookSettings'>;
  },
): Promise<ChangedSubscription | undefined> {
  const { id, principalId } = reference;
  const { url, eventTypes, filters, status, apiKeyId } = change;
  // In the order of a revocation.
  if (apiKeyId !== undefined) await requireActiveKey(transaction, apiKeyId);
  // Before the subscription's own lock, in the same order as everywhere.
  if (status === 'active') {
    await lockPrincipal(transaction, principalId);
    const present = await getSubscription(transaction, reference);
    // Nobody else activates it meanwhile. Deliveries are locked before their subscription, in the same
    // order as when attempts are recorded.
    if (present.status !== 'active') {
      // A worker does the same as soon as a subscription is disabled, but there may have been no worker since.
      const left = await failWaiting(transaction, { subscriptionIds: [id], inFlight: [], now: new Date() });
      if (left.length > 0) return undefined;
    }
  }
  // A concurrent release with the old settings is in the feed before this commit. The subscription is locked after the feed:
  // while it is, results of its deliveries wait.
  await lockFeeds(transaction, [principalId]);
  const before = await getSubscription(transaction, reference, { isLocked: true });
  const others = [url, eventTypes, filters];
  const isStatusKept = status === undefined || status === before.status;
  if (isStatusKept && others.every((member) => member === undefined)) return { before, after: before };
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
  if (after.status !== before.status) await wakeSubscription(transaction, id);
  return { before, after };
}
