import { eq, sql } from 'drizzle-orm';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { NotFoundError } from '../../platform/errors/serviceError.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';
import { createSigningSecret, encryptSecret } from './secrets.ts';
import { type SubscriptionRow, subscriptionColumns } from './subscriptionResource.ts';
import type { WebhookServices } from './webhookServices.ts';

/**
 * Gives a principal's subscription a new secret. The current one stays valid for the grace period. An even
 * older one in its grace period ends now: there are never more than two.
 *
 * @param graceSeconds 0 ends the old secret at once.
 * @returns with the new secret, which cannot be read again.
 * @throws NotFoundError, AccessError as `getSubscription` does.
 */
export async function rotateSecret(
  reference: SubscriptionReference,
  graceSeconds: number,
  { database, cipher }: Pick<WebhookServices, 'database' | 'cipher'>,
): Promise<{ subscription: SubscriptionRow; secret: string }> {
  await getSubscription(database, reference);
  const { id } = reference;
  const secret = createSigningSecret();
  const hasGrace = graceSeconds > 0;
  // One statement: of two concurrent rotations, each passes on the other's result.
  const [subscription] = await database
    .update(webhookSubscriptions)
    .set({
      secret: encryptSecret(cipher, { subscriptionId: id, secret }),
      previousSecret: hasGrace ? sql`${webhookSubscriptions.secret}` : null,
      previousSecretUntil: hasGrace ? new Date(Date.now() + graceSeconds * 1_000) : null,
      updatedAt: sql`now()`,
    })
    .where(eq(webhookSubscriptions.id, id))
    .returning(subscriptionColumns);
  // Removed since it was looked at.
  if (!subscription) throw new NotFoundError('The webhook does not exist.');
  return { subscription, secret };
}
