import { and, asc, eq, getTableColumns, gt, inArray, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { events } from '../../platform/database/tables/events.ts';
import { deliveries, deliveryAttempts } from '../../platform/database/tables/webhooks.ts';

/** Attempts shown with a delivery: more than it has by default, but not all if it was redelivered many times. */
const shownAttempts = 25;

/** The columns of a delivery, from its table joined with the events. */
export const deliveryColumns = {
  id: deliveries.id,
  subscriptionId: deliveries.subscriptionId,
  eventId: deliveries.eventId,
  eventType: events.type,
  agreementId: deliveries.recordId,
  status: deliveries.status,
  attemptCount: deliveries.attemptCount,
  nextAttemptAt: deliveries.nextAttemptAt,
  responseStatus: deliveries.responseStatus,
  error: deliveries.error,
  createdAt: deliveries.createdAt,
  updatedAt: deliveries.updatedAt,
  completedAt: deliveries.completedAt,
};

export type DeliveryRow = Pick<
  typeof deliveries.$inferSelect,
  Exclude<keyof typeof deliveryColumns, 'eventType' | 'agreementId'>
> & { eventType: string; agreementId: string | null };

type AttemptRow = typeof deliveryAttempts.$inferSelect;

/** Deliveries in wire form, each with its last attempts, in order. */
export async function toDeliveries(database: Queryable, rows: readonly DeliveryRow[]) {
  const ids = rows.map(({ id }) => id);
  const attempts = ids.length === 0 ? [] : await readAttempts(database, ids);
  const byDelivery = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
  return rows.map((row) => ({
    id: row.id,
    webhookId: row.subscriptionId,
    eventId: row.eventId,
    eventType: row.eventType,
    agreementId: row.agreementId ?? undefined,
    status: row.status,
    attemptCount: row.attemptCount,
    nextAttemptAt: row.status === 'retry_pending' ? row.nextAttemptAt?.toISOString() : undefined,
    responseStatus: row.responseStatus ?? undefined,
    error: row.error ?? undefined,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    completedAt: row.completedAt?.toISOString(),
    attempts: (byDelivery.get(row.id) ?? []).map(toAttempt),
  }));
}

function toAttempt(row: AttemptRow) {
  return {
    number: row.number,
    startedAt: row.startedAt.toISOString(),
    durationMs: row.durationMs,
    responseStatus: row.responseStatus ?? undefined,
    responseExcerpt: row.responseExcerpt ?? undefined,
    error: row.error ?? undefined,
  };
}

/** They are numbered without gaps. */
function readAttempts(database: Queryable, deliveryIds: readonly string[]): Promise<AttemptRow[]> {
  const { deliveryId, number } = deliveryAttempts;
  return database
    .select(getTableColumns(deliveryAttempts))
    .from(deliveryAttempts)
    .innerJoin(deliveries, eq(deliveries.id, deliveryId))
    .where(
      and(
        inArray(deliveryId, [...deliveryIds]),
        gt(number, sql`${deliveries.attemptCount} - ${shownAttempts}::int`),
      ),
    )
    .orderBy(asc(deliveryId), asc(number));
}
