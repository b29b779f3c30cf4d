import { sql } from 'drizzle-orm';
import { bigint, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { blockNumber, instant } from '../columns.ts';
import { oneOf } from '../oneOf.ts';
import { serviceSchema } from '../schema.ts';
import { releaseStates } from './events.ts';
import { records } from './records.ts';
import { ownerKeyOf } from './transactions.ts';

/** Unix milliseconds: a chain may have times that no timestamp of the database can hold. */
const milliseconds = () => bigint({ mode: 'number' });

/**
 * One rule of time during one span of one agreement: a stay in a state that the rule names, or the part of
 * such a stay in which the rule's date kept one value. Written together with the state that starts it. A
 * reorg deletes the spans that began in its blocks and reopens those that ended there. `dueMs` is when the
 * rule fires next.
 */
export const ruleSchedules = serviceSchema.table(
  'rule_schedules',
  {
    recordId: text()
      .notNull()
      .references(() => records.id),
    ruleId: text().notNull(),
    /** The record's principal, for turns. Older rows have none and share one turn. */
    principalId: text(),
    /** The transition that entered the state, and the input that began this span. */
    stay: text().notNull(),
    span: text().notNull(),
    chainId: integer().notNull(),
    state: text().notNull(),
    /** From the transition that entered the state. */
    fromState: text().notNull(),
    inputId: text().notNull(),
    enteredMs: milliseconds().notNull(),
    sinceMs: milliseconds().notNull(),
    sinceBlock: blockNumber().notNull(),
    /** The time and block of the input that ended the span; null while it lasts. */
    untilMs: milliseconds(),
    untilBlock: blockNumber(),
    /** The text of the rule's date in this span; null if the date is missing or the rule needs none. */
    date: text(),
    /** The first and the last moment at which the rule may fire; null for never, and for no end. */
    startsMs: milliseconds(),
    endsMs: milliseconds(),
    /** From one firing to the next; null if there is only one. */
    intervalMs: milliseconds(),
    /** Number of intervals passed. */
    nextNumber: bigint({ mode: 'number' }).notNull().default(0),
    dueMs: milliseconds().generatedAlwaysAs(sql`case
      when interval_ms is null and next_number > 0 then null
      when starts_ms + next_number * coalesce(interval_ms, 0) >= until_ms then null
      when starts_ms + next_number * coalesce(interval_ms, 0) > ends_ms then null
      else starts_ms + next_number * coalesce(interval_ms, 0) end`),
  },
  (table) => [
    primaryKey({ columns: [table.recordId, table.ruleId, table.span] }),
    index('rule_schedules_due').on(table.chainId, table.dueMs).where(sql`due_ms is not null`),
    index('rule_schedules_turns')
      .on(table.chainId, sql.raw(`(${ownerKeyOf('')})`), table.dueMs)
      .where(sql`due_ms is not null`),
    // For removal.
    index('rule_schedules_ended').on(table.untilMs).where(sql`until_ms is not null`),
    index('rule_schedules_open').on(table.recordId).where(sql`until_ms is null`),
    index().on(table.chainId, table.sinceBlock),
    index().on(table.chainId, table.untilBlock),
  ],
);

export const ruleTriggers = ['onTransition', 'temporal'] as const;
export const ruleChannels = ['external_webhook', 'email'] as const;

/**
 * One firing of a rule for one recipient on one occasion. The id is the event's id, and never changes. A firing of a
 * transition is `pending` until its block has its confirmations, and `withdrawn` if the block falls out. A firing with
 * an event always has the event's state.
 */
export const ruleFirings = serviceSchema.table(
  'rule_firings',
  {
    id: text().primaryKey(),
    recordId: text()
      .notNull()
      .references(() => records.id),
    /** The record's principal, for turns. Older rows have none and share one turn. */
    principalId: text(),
    ruleId: text().notNull(),
    /** The e-mail address in lower case, or else the wallet. */
    recipient: text().notNull(),
    occasion: text().notNull(),
    triggerType: text({ enum: ruleTriggers }).notNull(),
    channel: text({ enum: ruleChannels }).notNull(),
    state: text({ enum: releaseStates }).notNull(),
    chainId: integer().notNull(),
    /** The block that caused it; null for rules of time. */
    blockNumber: blockNumber(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    oneOf('rule_firings', 'trigger_type', ruleTriggers),
    oneOf('rule_firings', 'channel', ruleChannels),
    oneOf('rule_firings', 'state', releaseStates),
    // For the newest of a record.
    index().on(table.recordId, table.createdAt),
    // For removal.
    index().on(table.createdAt),
    // For releases of mails, in turns over principals.
    index('rule_firings_mails')
      .on(table.chainId, sql.raw(`(${ownerKeyOf('')})`), table.blockNumber)
      .where(sql`state = 'pending' and channel = 'email'`),
    index('rule_firings_pending').on(table.chainId, table.blockNumber).where(sql`state = 'pending'`),
    index().on(table.chainId, table.blockNumber),
  ],
);

/**
 * How often a rule with a limit has fired for a recipient, without withdrawn firings. It outlives the firings, which are
 * removed when they are old, and is read in one step however many they are.
 */
export const ruleCounts = serviceSchema.table(
  'rule_counts',
  {
    recordId: text()
      .notNull()
      .references(() => records.id),
    ruleId: text().notNull(),
    /** As in the firings. */
    recipient: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.recordId, table.ruleId, table.recipient] })],
);

/** `waiting` for confirmations, `due` to be sent by a job added with it, or finished. */
export const mailStatuses = ['waiting', 'due', 'sent', 'failed', 'skipped', 'withdrawn'] as const;

/**
 * The mail of one firing with the channel e-mail. It is sent at least once, each time with the same
 * Message-ID.
 */
export const mails = serviceSchema.table(
  'mails',
  {
    firingId: text()
      .primaryKey()
      .references(() => ruleFirings.id),
    /** Null if the recipient has no e-mail address; such a mail is skipped. */
    address: text(),
    subject: text().notNull(),
    body: text().notNull(),
    status: text({ enum: mailStatuses }).notNull(),
    attemptCount: integer().notNull().default(0),
    /** Why it was skipped, or the error of the last attempt. */
    error: text(),
    /** The trace position of its writing, for later spans; null without tracing. */
    traceParent: text(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [index().on(table.createdAt), oneOf('mails', 'status', mailStatuses)],
);
