import { sql } from 'drizzle-orm';
import { bigint, index, integer, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { blockNumber, hash, instant } from '../columns.ts';
import { oneOf } from '../oneOf.ts';
import { serviceSchema } from '../schema.ts';
import { principals } from './access.ts';
import { records } from './records.ts';

export const eventTypes = [
  'agreement.transitioned',
  'agreement.notification.triggered',
  'webhook.test',
] as const;
export type EventType = (typeof eventTypes)[number];

/** `pending` until its block has its confirmations; `withdrawn` where that falls out before. */
export const releaseStates = ['pending', 'released', 'withdrawn'] as const;

/**
 * What one principal is told. The id is made of what is announced, so that the same thing is one row for ever. A row is written
 * together with the state that it announces and waits as `pending` for the confirmations of its block; a reorg makes it
 * `withdrawn` meanwhile, and `pending` again where the transaction comes back. Once `released` it never changes.
 */
export const events = serviceSchema.table(
  'events',
  {
    id: text().primaryKey(),
    principalId: text()
      .notNull()
      .references(() => principals.id),
    /** Null for `webhook.test` alone. */
    recordId: text().references(() => records.id),
    type: text().$type<EventType>().notNull(),
    /** The whole envelope, serialised once: these characters are what is signed and sent. */
    body: text().notNull(),
    state: text({ enum: releaseStates }).notNull(),
    /** Where it happened; block and transaction are null for what no transaction caused. */
    chainId: integer(),
    blockNumber: blockNumber(),
    txHash: hash(),
    /** The order within one block: of the agreement's transitions, each followed by the notifications that it triggered. */
    blockOrder: integer().notNull().default(0),
    /** The number in the principal's feed, from 1 without gaps; set when released, null for `webhook.test`. */
    position: bigint({ mode: 'number' }),
    createdAt: instant().notNull().defaultNow(),
    releasedAt: instant(),
    /** Where its writing stands in the trace of what caused it; null where nobody traced it. */
    traceParent: text(),
  },
  (table) => [
    oneOf('events', 'state', releaseStates),
    uniqueIndex('events_feed').on(table.principalId, table.position),
    index('events_pending').on(table.chainId, table.blockNumber).where(sql`state = 'pending'`),
    index().on(table.chainId, table.blockNumber),
    index().on(table.recordId),
    index().on(table.createdAt),
  ],
);

/** The number of the last event that each principal was told. Its row lock puts releases of one principal in order. */
export const eventFeeds = serviceSchema.table(
  'event_feeds',
  {
    principalId: text()
      .notNull()
      .references(() => principals.id),
    lastPosition: bigint({ mode: 'number' }).notNull(),
    /** Events up to here may have been removed since they were older than what is kept. */
    expiredThrough: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.principalId] })],
);
