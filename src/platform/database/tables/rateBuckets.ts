import { doublePrecision, integer, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { serviceSchema } from '../schema.ts';

/**
 * A principal's remaining budget of requests to the whole service: a token bucket that refills with time,
 * shared by all API processes. The table is unlogged: a crash of the database fills all buckets, and taking
 * tokens writes nothing to its log.
 */
export const rateBuckets = serviceSchema.table(
  'rate_buckets',
  {
    principalId: text().notNull(),
    kind: text().$type<'read' | 'write'>().notNull(),
    /** Tokens at `updatedAt`; it has refilled since. */
    tokens: doublePrecision().notNull(),
    /** Tokens given to the last process that asked. */
    granted: integer().notNull(),
    /** In microseconds. With less precision, thousands of takes a second would lose much of the refill. */
    updatedAt: timestamp({ withTimezone: true, mode: 'date' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.principalId, table.kind] })],
);
