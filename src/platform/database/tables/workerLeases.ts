import { text, timestamp } from 'drizzle-orm/pg-core';
import { serviceSchema } from '../schema.ts';

/**
 * A worker process that lives, by the database's clock. Whatever refers to a worker whose row is gone or over belongs to nobody
 * any more, and whoever finds it may take it.
 */
export const workerLeases = serviceSchema.table('worker_leases', {
  id: text().primaryKey(),
  leaseUntil: timestamp({ withTimezone: true }).notNull(),
});
