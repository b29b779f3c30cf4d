import { and, eq } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { events } from '../../platform/database/tables/events.ts';
import { deliveries } from '../../platform/database/tables/webhooks.ts';
import { NotFoundError } from '../../platform/errors/serviceError.ts';
import { type DeliveryRow, deliveryColumns } from './deliveryResource.ts';

const idPattern = /^dlv_[0-9a-z]{1,64}$/;

/**
 * One of the deliveries of a subscription.
 *
 * @throws NotFoundError if the subscription has none with this id.
 */
export async function getDelivery(
  database: Queryable,
  { subscriptionId, deliveryId }: { subscriptionId: string; deliveryId: string },
): Promise<DeliveryRow> {
  const own = and(eq(deliveries.id, deliveryId), eq(deliveries.subscriptionId, subscriptionId));
  const [row] = idPattern.test(deliveryId)
    ? await database
        .select(deliveryColumns)
        .from(deliveries)
        .innerJoin(events, eq(events.id, deliveries.eventId))
        .where(own)
    : [];
  if (!row) throw new NotFoundError('The delivery does not exist.');
  return row;
}
