import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { type Page, selectNewest } from '../../platform/lists/selectNewest.ts';
import { type SubscriptionRow, subscriptionColumns } from './subscriptionResource.ts';

export type SubscriptionListRequest = {
  readonly principalId: string;
  readonly status?: 'active' | 'disabled' | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

/**
 * A page of a principal's subscriptions, newest first.
 *
 * @throws MalformedError for a cursor of another list.
 */
export function listSubscriptions(
  database: Database,
  { principalId, status, ...page }: SubscriptionListRequest,
): Promise<Page<SubscriptionRow>> {
  const where = and(
    eq(webhookSubscriptions.principalId, principalId),
    status && eq(webhookSubscriptions.status, status),
  );
  return selectNewest(database.select(subscriptionColumns).from(webhookSubscriptions), {
    list: ['webhooks', principalId, status],
    of: webhookSubscriptions,
    where,
    ...page,
  });
}
