import { sql } from 'drizzle-orm';
import { channels } from '../../platform/database/channels.ts';
import type { Queryable } from '../../platform/database/database.ts';

/**
 * Notifies the workers, at the commit, that a subscription has deliveries to attempt or has changed. This
 * only makes them quicker: a worker that misses it finds due deliveries in the table.
 */
export async function wakeSubscription(transaction: Queryable, subscriptionId: string): Promise<void> {
  await transaction.execute(sql`select pg_notify(${channels.deliveryDue}, ${subscriptionId})`);
}
