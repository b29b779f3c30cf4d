import { and, asc, desc, eq, inArray } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.ts';
import { events } from '../../../platform/database/tables/events.ts';
import {
  deliveries,
  deliveryAttempts,
  webhookSubscriptions,
} from '../../../platform/database/tables/webhooks.ts';

const mostEvents = 100;

/**
 * The latest events of these ids, or otherwise of these records and, if there are hashes, of these
 * transactions; oldest first. Each with its deliveries and their attempts.
 */
export async function readEvents(
  database: Database,
  wanted: {
    ids: readonly string[];
    recordIds: readonly string[];
    hashes: readonly `0x${string}`[] | undefined;
  },
) {
  const ofRecords = inArray(events.recordId, [...wanted.recordIds]);
  const found = await database
    .select()
    .from(events)
    .where(
      wanted.ids.length > 0
        ? inArray(events.id, [...wanted.ids])
        : and(ofRecords, wanted.hashes && inArray(events.txHash, [...wanted.hashes])),
    )
    .orderBy(desc(events.createdAt), desc(events.blockOrder))
    .limit(mostEvents);
  const ids = found.map(({ id }) => id);
  const sent = await database
    .select({ delivery: deliveries, url: webhookSubscriptions.url })
    .from(deliveries)
    .innerJoin(webhookSubscriptions, eq(webhookSubscriptions.id, deliveries.subscriptionId))
    .where(inArray(deliveries.eventId, ids))
    .orderBy(asc(deliveries.createdAt));
  const attempts = await database
    .select()
    .from(deliveryAttempts)
    .where(
      inArray(
        deliveryAttempts.deliveryId,
        sent.map(({ delivery }) => delivery.id),
      ),
    )
    .orderBy(asc(deliveryAttempts.number));
  return found.toReversed().map((event) => ({
    id: event.id,
    type: event.type,
    principalId: event.principalId,
    recordId: event.recordId,
    state: event.state,
    position: event.position,
    chainId: event.chainId,
    blockNumber: event.blockNumber?.toString() ?? null,
    txHash: event.txHash,
    traceId: event.traceParent?.split('-')[1] ?? null,
    createdAt: event.createdAt,
    releasedAt: event.releasedAt,
    deliveries: sent
      .filter(({ delivery }) => delivery.eventId === event.id)
      .map(({ delivery, url }) => ({
        id: delivery.id,
        subscriptionId: delivery.subscriptionId,
        // Path and query of a receiver's URL may be its key.
        host: URL.canParse(url) ? new URL(url).host : null,
        status: delivery.status,
        nextAttemptAt: delivery.nextAttemptAt,
        completedAt: delivery.completedAt,
        attempts: attempts
          .filter(({ deliveryId }) => deliveryId === delivery.id)
          .map(({ number, startedAt, durationMs, responseStatus, error }) => ({
            number,
            startedAt,
            durationMs,
            responseStatus,
            error,
          })),
      })),
  }));
}
