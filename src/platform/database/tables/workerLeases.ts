import { text, timestamp } from 'drizzle-orm/pg-core';
import { serviceSchema } from '../schema.ts';

/**
 * A live worker process, by the database's clock. If a worker's row is missing or expired, everything
 * assigned to it is free for others.
 */
export const workerLeases = serviceSchema.table('worker_leases', {
  id: text().primaryKey(),
  leaseUntil: timestamp({ withTimezone: true }).notNull(),
});
