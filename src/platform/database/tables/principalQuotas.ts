import { bigint, date, index, integer, numeric, primaryKey, text } from 'drizzle-orm/pg-core';
import { serviceSchema } from '../schema.ts';
import { principals } from './access.ts';

/** What one principal may have or do in place of the default; no row means the default. */
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

/** What a principal has used on one day (UTC). */
export const usageDays = serviceSchema.table(
  'usage_days',
  {
    principalId: text()
      .notNull()
      .references(() => principals.id),
    day: date().notNull(),
    events: bigint({ mode: 'number' }).notNull().default(0),
    mails: bigint({ mode: 'number' }).notNull().default(0),
    /** As estimated when the transactions were accepted. */
    gas: numeric({ precision: 30, scale: 0 }).notNull().default('0'),
    /** UTF-8 bytes of answers that are kept for Idempotency-Keys. */
    answerBytes: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.principalId, table.day] }), index().on(table.day)],
);

/** What a principal has stored since its beginning, of what is kept for ever. */
export const usageTotals = serviceSchema.table('usage_totals', {
  principalId: text()
    .primaryKey()
    .references(() => principals.id),
  /** Of documents, values and payloads. */
  storedBytes: bigint({ mode: 'number' }).notNull().default(0),
  adoptedAgreements: integer().notNull().default(0),
});
