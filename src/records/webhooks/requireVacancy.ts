import { and, eq, sql } from 'drizzle-orm';
import type { DatabaseTransaction } from '../../platform/database/database.ts';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';

/**
 * Checks that a principal, which is locked, may have one more active one. Disabled ones do not
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
