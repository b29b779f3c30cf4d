import { sql } from 'drizzle-orm';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { orderedKey } from '../../platform/database/orderedKey.ts';
import { getSubscription, type SubscriptionReference } from './getSubscription.ts';
import { requireActive } from './requireActive.ts';
import { wakeSubscription } from './wakeSubscription.ts';
import type { WebhookServices } from './webhookServices.ts';

const listedKey = sql.raw(orderedKey('subscription_id', 'created_at'));

/** The most that one request recovers: as many rows as one statement can change without delaying others. */
const mostRecovered = 10_000;

export type Recovered = {
  readonly recovered: number;
  /** Whether there may be more, for the same request to recover next. */
  readonly hasMore: boolean;
};

/**
 * Retries all failed deliveries of events planned at or after a time, with as many attempts as new ones, in
 * the order of their planning.
 *
 * @throws NotFoundError, AccessError as `getSubscription` does; RefusedError `webhook_disabled`.
 */
export async function recover(
  reference: SubscriptionReference,
  since: string,
  { database, quotas, webhookSettings }: Pick<WebhookServices, 'database' | 'quotas' | 'webhookSettings'>,
): Promise<Recovered> {
  requireActive(await getSubscription(database, reference));
  const recovered = await inOwnTransaction(database, reference.principalId, async (transaction) => {
    // All are due at once, in the order of their planning.
    const { rowCount } = await transaction.execute(sql`
      with failed as (
        select id, created_at, position from service.deliveries
        where ${listedKey} = ${reference.id} and status = 'failed' and created_at >= ${since}::timestamptz
        order by created_at limit ${mostRecovered} for no key update skip locked
      ), ordered as (
        select id, row_number() over (order by created_at, position, id) as place from failed
      )
      update service.deliveries as delivery set status = 'retry_pending', completed_at = null, updated_at = now(),
        attempt_limit = delivery.attempt_count + ${webhookSettings.attempts}::int,
        next_attempt_at = now() - (${mostRecovered} - place) * interval '1 millisecond'
      from ordered where delivery.id = ordered.id`);
    const count = rowCount ?? 0;
    if (count > 0) await wakeSubscription(transaction, reference.id);
    return count;
  });
  if (recovered > 0) quotas.note(reference.principalId, { events: recovered });
  return { recovered, hasMore: recovered === mostRecovered };
}
