import { and, eq, sql } from 'drizzle-orm';
import type { DatabaseTransaction } from '../../platform/database/database.ts';
import { principals } from '../../platform/database/tables/access.ts';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';

/** Prevents others from adding active subscriptions of a principal until the end of the transaction. */
export async function lockSubscriptionsOf(
  transaction: DatabaseTransaction,
  principalId: string,
): Promise<void> {
  await transaction
    .select({ id: principals.id })
    .from(principals)
    .where(eq(principals.id, principalId))
    .for('no key update');
}

/**
 * Checks that a principal, whose subscriptions are locked, may have one more active one. Disabled ones do not
 * count.
 *
 * @throws RefusedError `webhook_limit_reached` if it has as many as it may have.
 */
export async function requireVacancy(
  transaction: DatabaseTransaction,
  { principalId, limit }: { principalId: string; limit: number },
): Promise<void> {
  const active = await transaction.$count(
    webhookSubscriptions,
    and(eq(webhookSubscriptions.principalId, principalId), sql`${webhookSubscriptions.status} = 'active'`),
  );
  if (active < limit) return;
  const message = 'The principal has reached its limit of active webhooks.';
  throw new RefusedError('webhook_limit_reached', message, { facts: { limit } });
}
