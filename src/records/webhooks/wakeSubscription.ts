import { sql } from 'drizzle-orm';
import { channels } from '../../platform/database/channels.ts';
import type { Queryable } from '../../platform/database/database.ts';

/**
 * Tells the workers, as of the commit, that a subscription has deliveries to be attempted, or that it is another than before. It
 * makes them quick and carries no promise: a worker that misses it finds what is due in the table of deliveries.
 */
export async function wakeSubscription(transaction: Queryable, subscriptionId: string): Promise<void> {
  await transaction.execute(sql`select pg_notify(${channels.deliveryDue}, ${subscriptionId})`);
}
