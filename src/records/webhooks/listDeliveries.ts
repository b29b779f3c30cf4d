import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Database } from '../../platform/database/database.ts';
import { orderedKey } from '../../platform/database/orderedKey.ts';
import { events } from '../../platform/database/tables/events.ts';
import {
  type DeliveryStatus,
  deliveries,
  deliveryStatuses,
} from '../../platform/database/tables/webhooks.ts';
import { finishNewest, type Page, parseStart } from '../../platform/lists/selectNewest.ts';
import { type DeliveryRow, deliveryColumns } from './deliveryResource.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';

export type DeliveryListRequest = {
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

/**
 * A page of the past and planned deliveries of a principal's subscription, newest first.
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
  const start = parseStart(list, cursor);
  const branches = (status ? [status] : deliveryStatuses).map((each) =>
    selectKeys(database, { subscriptionId: reference.id, status: each, start, limit: limit + 1 }),
  );
  const [first, second, ...others] = branches;
  if (!first) throw new Error('There is no status.');
  const newest = second
    ? unionAll(first, second, ...others)
        // Drizzle would name the columns of a union as in the code.
        .orderBy(sql`created_at desc, id desc`)
        .limit(limit + 1)
    : first;
  const page = newest.as('page');
  const rows = await database
    .select(deliveryColumns)
    .from(page)
    .innerJoin(deliveries, eq(id, page.id))
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit + 1);
  return finishNewest(list, rows, { limit, cursor });
}

/**
 * The newest deliveries of one status. The conditions compare rows, and the source is a subquery, as
 * `buildIndexRange` explains: the planner follows the index, whatever it knows of the table.
 */
function selectKeys(
  database: Database,
  {
    subscriptionId,
    status,
    start,
    limit,
  }: { subscriptionId: string; status: DeliveryStatus; start: SQL | undefined; limit: number },
) {
  const { id, createdAt } = deliveries;
  const subject = sql.raw(orderedKey('subscription_id', 'created_at'));
  const key = sql`${subject}, ${deliveries.status}`;
  const value = sql`(select ${subscriptionId}::text), ${status}::text`;
  const upper = start
    ? sql`(${key}, ${createdAt}, ${id}) < (${value}, ${start})`
    : sql`(${key}) <= (${value})`;
  return database
    .select({ id, createdAt })
    .from(deliveries)
    .where(and(sql`(${key}, ${createdAt}) >= (${value}, '-infinity'::timestamptz)`, upper))
    .orderBy(desc(subject), desc(deliveries.status), desc(createdAt), desc(id))
    .limit(limit);
}
