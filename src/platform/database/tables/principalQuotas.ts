import { bigint, date, index, integer, numeric, primaryKey, text } from 'drizzle-orm/pg-core';
import { serviceSchema } from '../schema.ts';
import { principals } from './access.ts';
import { records } from './records.ts';

/** A principal's own quotas in place of the defaults; no row means the default. */
export const principalQuotas = serviceSchema.table(
  'principal_quotas',
  {
    principalId: text()
      .notNull()
      .references(() => principals.id),
    quota: text().notNull(),
    value: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.principalId, table.quota] })],
);

/** A principal's usage on one day (UTC). */
export const usageDays = serviceSchema.table(
  'usage_days',
  {
    principalId: text()
      .notNull()
      .references(() => principals.id),
    day: date().notNull(),
    events: bigint({ mode: 'number' }).notNull().default(0),
    mails: bigint({ mode: 'number' }).notNull().default(0),
    /** As estimated at the acceptance or the first signing of the transactions, and the gas of failed attempts. */
    gas: numeric({ precision: 30, scale: 0 }).notNull().default('0'),
    /** UTF-8 bytes of answers kept for Idempotency-Keys. */
    answerBytes: bigint({ mode: 'number' }).notNull().default(0),
    /** UTF-8 bytes of released events; parts that several of them share count once for each batch of releases. */
    eventBytes: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.principalId, table.day] }), index().on(table.day)],
);

/** What the released events, the mails and the guests of a record have used on one day (UTC) of its principal's quotas. */
export const recordUsageDays = serviceSchema.table(
  'record_usage_days',
  {
    recordId: text()
      .notNull()
      .references(() => records.id, { onDelete: 'cascade' }),
    day: date().notNull(),
    events: bigint({ mode: 'number' }).notNull().default(0),
    /** As `eventBytes` of the principal's usage. */
    eventBytes: bigint({ mode: 'number' }).notNull().default(0),
    mails: bigint({ mode: 'number' }).notNull().default(0),
    /** The gas that is counted for the principal for inputs that guests sent. */
    guestGas: numeric({ precision: 30, scale: 0 }).notNull().default('0'),
  },
  (table) => [primaryKey({ columns: [table.recordId, table.day] }), index().on(table.day)],
);

/** Everything that a principal has stored permanently, in total. */
export const usageTotals = serviceSchema.table('usage_totals', {
  principalId: text()
    .primaryKey()
    .references(() => principals.id),
  /** Bytes of documents, values, rules, payloads, webhooks, links and sessions. */
  storedBytes: bigint({ mode: 'number' }).notNull().default(0),
  adoptedAgreements: integer().notNull().default(0),
});
