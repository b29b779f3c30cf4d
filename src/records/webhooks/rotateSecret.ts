import { eq, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import type { Cipher } from '../../platform/encryption/cipher.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import { requireActiveKey } from '../principals/requireActiveKey.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';
import { createSigningSecret, decryptSecret, encryptSecret } from './secrets.ts';
import { type SubscriptionRow, subscriptionColumns } from './subscriptionResource.ts';
import type { WebhookServices } from './webhookServices.ts';

/**
 * Gives a principal's subscription a new secret. The current one stays valid for the grace period. An even
 * older one in its grace period ends now: there are never more than two. A repeated request changes nothing while the
 * secret is the one that it gave before.
 *
 * @param rotation.graceSeconds 0 ends the old secret at once.
 * @param rotation.derive for a request that may be repeated: gives the same secret each time.
 * @returns with the new secret, which cannot be read again.
 * @throws NotFoundError, AccessError as `getSubscription` does.
 * @throws AccessError `unauthorized` if the key of the request has been revoked meanwhile.
 */
export async function rotateSecret(
  reference: SubscriptionReference,
  { apiKeyId, graceSeconds, derive }: { apiKeyId: string; graceSeconds: number; derive?: Derive | undefined },
  { database, cipher }: Pick<WebhookServices, 'database' | 'cipher'>,
): Promise<{ subscription: SubscriptionRow; secret: string }> {
  const { id } = reference;
  const secret = createSigningSecret(derive?.('secret'));
  const hasGrace = graceSeconds > 0;
  return inOwnTransaction(database, reference.principalId, async (transaction) => {
    await requireActiveKey(transaction, apiKeyId);
    const known = await getSubscription(transaction, reference, { isLocked: true });
    if (derive && (await readSecret(transaction, { id, cipher })) === secret)
      return { subscription: known, secret };
    const [subscription] = await transaction
      .update(webhookSubscriptions)
      .set({
        secret: encryptSecret(cipher, { subscriptionId: id, secret }),
        previousSecret: hasGrace ? sql`${webhookSubscriptions.secret}` : null,
        // By the database's clock, as deliveries read it.
        previousSecretUntil: hasGrace ? sql`now() + ${graceSeconds} * interval '1 second'` : null,
        updatedAt: sql`now()`,
      })
      .where(eq(webhookSubscriptions.id, id))
      .returning(subscriptionColumns);
    if (!subscription) throw new Error(`the locked subscription ${id} is gone`);
    return { subscription, secret };
  });
}

/** Undefined if it was encrypted with a key that is no longer known. */
async function readSecret(
  transaction: Queryable,
  { id, cipher }: { id: string; cipher: Cipher },
): Promise<string | undefined> {
  const [row] = await transaction
    .select({ encrypted: webhookSubscriptions.secret })
    .from(webhookSubscriptions)
    .where(eq(webhookSubscriptions.id, id));
  try {
    return row && decryptSecret(cipher, { subscriptionId: id, encrypted: row.encrypted });
  } catch {
    return undefined;
  }
}
