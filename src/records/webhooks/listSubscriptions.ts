import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { buildAfter, finishPage, type Page } from './listPosition.ts';
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
export async function listSubscriptions(
  database: Database,
  { principalId, status, limit, cursor }: SubscriptionListRequest,
): Promise<Page<SubscriptionRow>> {
  const list = ['webhooks', principalId, status];
  const { createdAt, id } = webhookSubscriptions;
  const rows = await database
    .select(subscriptionColumns)
    .from(webhookSubscriptions)
    .where(
      and(
        eq(webhookSubscriptions.principalId, principalId),
        status && eq(webhookSubscriptions.status, status),
        buildAfter(list, cursor, { createdAt, id }),
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(limit + 1);
  return finishPage(list, rows, { limit, cursor });
}
