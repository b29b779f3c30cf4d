import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { events } from '../database/tables/events.ts';
import { type DeliveryStatus, deliveries } from '../database/tables/webhooks.ts';
import { type DeliveryRow, deliveryColumns } from './deliveryResource.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';
import { buildAfter, finishPage, type Page } from './listPosition.ts';

export type DeliveryListRequest = {
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

/**
 * A page of what a principal's subscription was sent or is going to be, the newest first.
 *
 * @throws NotFoundError, AccessError as `getSubscription` does; MalformedError for a cursor of another list.
 */
export async function listDeliveries(
  database: Database,
  reference: SubscriptionReference,
  { status, limit, cursor }: DeliveryListRequest,
): Promise<Page<DeliveryRow>> {
  await getSubscription(database, reference);
  const list = ['deliveries', reference.id, status];
  const { createdAt, id } = deliveries;
  const rows = await database
    .select(deliveryColumns)
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .where(
      and(
        eq(deliveries.subscriptionId, reference.id),
        status && eq(deliveries.status, status),
        buildAfter(list, cursor, { createdAt, id }),
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(limit + 1);
  return finishPage(list, rows, { limit, cursor });
}
