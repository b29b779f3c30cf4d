import { index, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { hash, instant } from '../columns.ts';
import { oneOf } from '../oneOf.ts';
import { serviceSchema } from '../schema.ts';

/** The owner of records, keys and webhooks. One principal's data is never shown to another. */
export const principals = serviceSchema.table(
  'principals',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [uniqueIndex().on(table.name)],
);

export const entitlementModes = ['free_allowlist', 'paid_required', 'blocked'] as const;
export const keyStatuses = ['active', 'disabled', 'revoked'] as const;

/** What a principal may do: one mode for one scope; no row means forbidden. */
export const entitlements = serviceSchema.table(
  'entitlements',
  {
    principalId: text()
      .notNull()
      .references(() => principals.id),
    scope: text().notNull(),
    mode: text({ enum: entitlementModes }).notNull(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.principalId, table.scope] }),
    oneOf('entitlements', 'mode', entitlementModes),
  ],
);

/** One key of a principal. Only the SHA-256 of the key is stored; the key itself was shown once. */
export const apiKeys = serviceSchema.table(
  'api_keys',
  {
    id: text().primaryKey(),
    principalId: text()
      .notNull()
      .references(() => principals.id),
    label: text(),
    keyHash: hash().notNull(),
    status: text({ enum: keyStatuses }).notNull().default('active'),
    createdAt: instant().notNull().defaultNow(),
    lastUsedAt: instant(),
    endedAt: instant(),
  },
  (table) => [
    uniqueIndex().on(table.keyHash),
    index().on(table.principalId),
    oneOf('api_keys', 'status', keyStatuses),
  ],
);
