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

/** `pending` until its block has its confirmations; `withdrawn` if the block falls out before. */
export const releaseStates = ['pending', 'released', 'withdrawn'] as const;

/**
 * Part of an event, as JSON, shared by all recipients of a rule on one occasion: a transition that notifies
 * 250 recipients of large values stores these once. Never changes.
 */
export const eventParts = serviceSchema.table(
  'event_parts',
  {
    /** A hash of the principal and the text. */
    id: text().primaryKey(),
    text: text().notNull(),
    /** When an event last used it. */
    usedAt: instant().notNull().defaultNow(),
  },
  (table) => [index().on(table.usedAt)],
);

/**
 * An event of one principal. The id is derived from the content, so that the same event is always one row. A row is
 * written together with the state that it announces and is `pending` until its block has its confirmations. A reorg
 * makes it `withdrawn`, and `pending` again if the transaction comes back. A `released` row never changes.
 */
export const events = serviceSchema.table(
  'events',
  {
    id: text().primaryKey(),
    principalId: text()
      .notNull()
      .references(() => principals.id),
    /** Null for `webhook.test` only. */
    recordId: text().references(() => records.id),
    type: text().$type<EventType>().notNull(),
    /**
     * The envelope, serialised once: exactly these characters are signed and sent. If the event has parts,
     * the text ends before them (`wholeBody` of `records/events/eventParts.ts`).
     */
    body: text().notNull(),
    state: text({ enum: releaseStates }).notNull(),
    /** The origin; block and transaction are null if no transaction caused the event. */
    chainId: integer(),
    blockNumber: blockNumber(),
    txHash: hash(),
    /**
     * The order within a block: of the agreement's transitions, each followed by the notifications that it
     * triggered.
     */
    blockOrder: integer().notNull().default(0),
    /** The number in the principal's feed, from 1 without gaps. Set at the release; null for `webhook.test`. */
    position: bigint({ mode: 'number' }),
    createdAt: instant().notNull().defaultNow(),
    releasedAt: instant(),
    /** The trace position of its writing, for later spans; null without tracing. */
    traceParent: text(),
    /** Both null, or neither. */
    notificationPartId: text().references(() => eventParts.id),
    variablesPartId: text().references(() => eventParts.id),
  },
  (table) => [
    oneOf('events', 'state', releaseStates),
    uniqueIndex('events_feed').on(table.principalId, table.position),
    index('events_pending').on(table.chainId, table.blockNumber).where(sql`state = 'pending'`),
    // For releases, in turns over principals.
    index('events_turns')
      .on(
        table.chainId,
        table.principalId,
        table.blockNumber,
        table.recordId,
        table.blockOrder,
        table.createdAt,
        table.id,
      )
      .where(sql`state = 'pending'`),
    index().on(table.chainId, table.blockNumber),
    index().on(table.recordId),
    index().on(table.createdAt),
    index('events_notification').on(table.notificationPartId).where(sql`notification_part_id is not null`),
    index('events_variables').on(table.variablesPartId).where(sql`variables_part_id is not null`),
  ],
);

/** The number of each principal's last event. Its row lock orders the releases of one principal. */
export const eventFeeds = serviceSchema.table(
  'event_feeds',
  {
    principalId: text()
      .notNull()
      .references(() => principals.id),
    lastPosition: bigint({ mode: 'number' }).notNull(),
    /** Events up to this number may have been removed because they were older than the retention. */
    expiredThrough: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.principalId] })],
);
