import { eq } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { AccessError, NotFoundError } from '../../platform/errors/serviceError.ts';
import { type SubscriptionRow, subscriptionColumns } from './subscriptionResource.ts';

export type SubscriptionReference = { readonly id: string; readonly principalId: string };

const idPattern = /^wh_[0-9a-z]{1,64}$/;

/**
 * One of a principal's subscriptions.
 *
 * @param isLocked keeps others from changing it until the end of the transaction.
 * @throws NotFoundError if it does not exist, AccessError `forbidden` if it is another principal's.
 */
export async function getSubscription(
  database: Queryable,
  { id, principalId }: SubscriptionReference,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<SubscriptionRow> {
  const query = database
    .select(subscriptionColumns)
    .from(webhookSubscriptions)
    .where(eq(webhookSubscriptions.id, id));
  const [row] = idPattern.test(id) ? await (isLocked ? query.for('no key update') : query) : [];
  if (!row) throw new NotFoundError('The webhook does not exist.');
  if (row.principalId !== principalId)
    throw new AccessError('forbidden', 'The webhook belongs to another principal.');
  return row;
}
