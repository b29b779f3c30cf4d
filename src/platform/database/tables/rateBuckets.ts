import { doublePrecision, integer, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { serviceSchema } from '../schema.ts';

/**
 * What one principal may still ask of the whole service: a bucket of tokens that refills with time, from which every API
 * process takes. The table is unlogged: a crash of the database fills all buckets, and taking costs no write to its log.
 */
export const rateBuckets = serviceSchema.table(
  'rate_buckets',
  {
    principalId: text().notNull(),
    kind: text().$type<'read' | 'write'>().notNull(),
    /** What was there at `updatedAt`; since then it has refilled. */
    tokens: doublePrecision().notNull(),
    /** How many tokens the last process that asked was given. */
    granted: integer().notNull(),
    /** In microseconds: with fewer, thousands of takes a second would lose a good part of the refill. */
    updatedAt: timestamp({ withTimezone: true, mode: 'date' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.principalId, table.kind] })],
);
