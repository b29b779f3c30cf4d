import { customType, index, primaryKey, text } from 'drizzle-orm/pg-core';
import { hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';
import { principals } from './access.ts';

const encrypted = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * One use of an Idempotency-Key by one principal: in progress until `leaseUntil`, or answered. A request that
 * was refused itself leaves no row; an expired row counts as absent.
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
    /** The request that works on it, or did. */
    attemptId: text().notNull(),
    /** Renewed while the request is in progress; null once answered. */
    leaseUntil: instant(),
    /** The answer, encrypted as a whole because some answers show a secret; null while in progress. */
    answer: encrypted(),
    expiresAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.principalId, table.key] }), index().on(table.expiresAt)],
);
