import { customType, index, primaryKey, text } from 'drizzle-orm/pg-core';
import { hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';
import { principals } from './access.ts';

const encrypted = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * One use of an Idempotency-Key by one principal: at work until `leaseUntil`, or answered. What was answered with a server
 * error leaves no row, and an expired row counts as none.
 */
export const idempotencyKeys = serviceSchema.table(
  'idempotency_keys',
  {
    principalId: text()
      .notNull()
      .references(() => principals.id),
    key: text().notNull(),
    /** SHA-256 over method, target and body of the request. */
    fingerprint: hash().notNull(),
    /** Names the request that is at work on it, or was. */
    attemptId: text().notNull(),
    /** Renewed while the request is at work; null once it is answered. */
    leaseUntil: instant(),
    /** The answer, encrypted as a whole since some show a secret; null while the request is at work. */
    answer: encrypted(),
    expiresAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.principalId, table.key] }), index().on(table.expiresAt)],
);
