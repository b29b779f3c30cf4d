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
 * A part of events, as JSON, that is the same for all whom a rule tells on one occasion: a transition that tells 250 recipients of
 * large values stores these once. Never changes.
 */
export const eventParts = serviceSchema.table(
  'event_parts',
  {
    /** A hash of the principal and the text. */
    id: text().primaryKey(),
    text: text().notNull(),
    /** When an event last took it. */
    usedAt: instant().notNull().defaultNow(),
  },
  (table) => [index().on(table.usedAt)],
);

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
    /**
     * The envelope, serialised once: these characters are what is signed and sent. Where the event has parts, it ends before them
     * (`wholeBody` of `records/events/eventParts.ts`).
     */
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
    /** Both null, or neither. */
    notificationPartId: text().references(() => eventParts.id),
    variablesPartId: text().references(() => eventParts.id),
  },
  (table) => [
    oneOf('events', 'state', releaseStates),
    uniqueIndex('events_feed').on(table.principalId, table.position),
    index('events_pending').on(table.chainId, table.blockNumber).where(sql`state = 'pending'`),
    index().on(table.chainId, table.blockNumber),
    index().on(table.recordId),
    index().on(table.createdAt),
    index('events_notification').on(table.notificationPartId).where(sql`notification_part_id is not null`),
    index('events_variables').on(table.variablesPartId).where(sql`variables_part_id is not null`),
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
