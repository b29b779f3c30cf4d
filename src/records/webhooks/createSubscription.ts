import { and, eq } from 'drizzle-orm';
import { createId } from '../../platform/database/ids.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import {
  type SubscribableEventType,
  type SubscriptionFilters,
  webhookSubscriptions,
} from '../../platform/database/tables/webhooks.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import { lockFeeds } from '../events/lockFeeds.ts';
import { lockPrincipal } from '../principals/lockPrincipal.ts';
import { requireActiveKey } from '../principals/requireActiveKey.ts';
import { removeLongDisabled } from './removeLongDisabled.ts';
import { requireVacancy } from './requireVacancy.ts';
import { createSigningSecret, encryptSecret } from './secrets.ts';
import { defaultEventTypes } from './subscriptionFilters.ts';
import { type SubscriptionRow, subscriptionColumns } from './subscriptionResource.ts';
import { requireTarget } from './targetUrl.ts';
import type { WebhookServices } from './webhookServices.ts';

export type NewSubscription = {
  readonly principalId: string;
  readonly apiKeyId: string | null;
  readonly url: string;
  /** An empty list means the default types. */
  readonly eventTypes?: readonly SubscribableEventType[] | null | undefined;
  readonly filters?: SubscriptionFilters | null | undefined;
  /** For a request that may be repeated: gives the same id and secret each time. */
  readonly derive?: Derive | undefined;
};

/**
 * Creates an active subscription. It receives every event released after its commit, and no earlier one. A repeated
 * request gets the one that it created before.
 *
 * @returns with the secret, which cannot be read again.
 * @throws RefusedError `webhook_target_not_allowed`, `webhook_limit_reached`.
 * @throws AccessError `unauthorized` if the key has been revoked meanwhile: resolving the host may take seconds.
 */
export async function createSubscription(
  { principalId, apiKeyId, url, eventTypes, filters, derive }: NewSubscription,
  {
    database,
    cipher,
    webhookSettings,
    targetRules,
  }: Pick<WebhookServices, 'database' | 'cipher' | 'webhookSettings' | 'targetRules'>,
): Promise<{ subscription: SubscriptionRow; secret: string }> {
  await requireTarget(url, targetRules);
  const id = createId('wh', derive?.('id'));
  const secret = createSigningSecret(derive?.('secret'));
  return inOwnTransaction(database, principalId, async (transaction) => {
    // In the order of a revocation.
    if (apiKeyId !== null) await requireActiveKey(transaction, apiKeyId);
    await lockPrincipal(transaction, principalId);
    const created = and(eq(webhookSubscriptions.id, id), eq(webhookSubscriptions.principalId, principalId));
    const [known] = derive
      ? await transaction.select(subscriptionColumns).from(webhookSubscriptions).where(created)
      : [];
    if (known) return { subscription: known, secret };
    // A concurrent release without this subscription is in the feed before this commit; later ones are
    // delivered.
    await lockFeeds(transaction, [principalId]);
    await requireVacancy(transaction, { principalId, limit: webhookSettings.subscriptions });
    await removeLongDisabled(transaction, principalId);
    const [subscription] = await transaction
      .insert(webhookSubscriptions)
      .values({
        id,
        principalId,
        createdByApiKeyId: apiKeyId,
        url,
        eventTypes: eventTypes?.length ? eventTypes : defaultEventTypes,
        filters: filters ?? null,
        secret: encryptSecret(cipher, { subscriptionId: id, secret }),
      })
      .returning(subscriptionColumns);
    if (!subscription) throw new Error(`the subscription ${id} was not stored`);
    return { subscription, secret };
  });
}
