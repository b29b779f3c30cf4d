import { and, eq, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Queryable } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import { createPace } from '../../platform/turns/pace.ts';
import { matchesSubscription } from '../../records/webhooks/subscriptionFilters.ts';
import { wakeSubscription } from '../../records/webhooks/wakeSubscription.ts';

/** An event in its principal's feed. */
export type DeliverableEvent = {
  readonly id: string;
  readonly principalId: string;
  readonly recordId: string | null;
  readonly position: number;
  readonly type: string;
  /** The part of the envelope that filters use, without shared parts. */
  readonly facts: string;
};

type PlannedDelivery = {
  readonly id: string;
  readonly subscription_id: string;
  readonly event_id: string;
  readonly record_id: string | null;
  readonly position: number;
};

const envelope = z.object({ data: z.unknown() });

/** Writing more deliveries into one statement would block the event loop for long. */
const writtenAtOnce = 2_000;

/**
 * Plans one delivery of each event for each active subscription of its principal that wants it, in the
 * transaction of the release: an event is delivered if and only if it is released. An event that was planned
 * before is not planned again. Returns their number.
 */
export async function planDeliveries(
  transaction: Queryable,
  released: readonly DeliverableEvent[],
): Promise<number> {
  if (released.length === 0) return 0;
  const subscriptions = await transaction
    .select({
      id: webhookSubscriptions.id,
      principalId: webhookSubscriptions.principalId,
      eventTypes: webhookSubscriptions.eventTypes,
      filters: webhookSubscriptions.filters,
    })
    .from(webhookSubscriptions)
    .where(
      and(
        eq(webhookSubscriptions.status, 'active'),
        inArray(webhookSubscriptions.principalId, [
          ...new Set(released.map(({ principalId }) => principalId)),
        ]),
      ),
    );
  if (subscriptions.length === 0) return 0;
  const pace = createPace();
  const planned: PlannedDelivery[] = [];
  for (const event of released) {
    const own = subscriptions.filter(({ principalId }) => principalId === event.principalId);
    if (own.length === 0) continue;
    const { data } = envelope.parse(JSON.parse(event.facts));
    for (const subscription of own) {
      if (!matchesSubscription(subscription, { type: event.type, data })) continue;
      planned.push({
        id: createId('dlv'),
        subscription_id: subscription.id,
        event_id: event.id,
        record_id: event.recordId,
        position: event.position,
      });
    }
    await pace.breathe();
  }
  for (let from = 0; from < planned.length; from += writtenAtOnce)
    await transaction.execute(sql`
      insert into service.deliveries (id, subscription_id, event_id, record_id, position, status)
      select id, subscription_id, event_id, record_id, position, 'pending'
      from ${recordsOf(planned.slice(from, from + writtenAtOnce))}
        as planned (id text, subscription_id text, event_id text, record_id text, position bigint)
      on conflict (subscription_id, event_id) do nothing`);
  for (const id of new Set(planned.map(({ subscription_id }) => subscription_id)))
    await wakeSubscription(transaction, id);
  return planned.length;
}
