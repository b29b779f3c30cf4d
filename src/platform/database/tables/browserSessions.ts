import { sql } from 'drizzle-orm';
import { index, json, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { hash, instant } from '../columns.ts';
import { inForceKey } from '../inForceKey.ts';
import { serviceSchema } from '../schema.ts';
import { apiKeys, principals } from './access.ts';

/** What a session or link may do of its key's permissions; null for all. */
const capabilities = () => json().$type<readonly string[]>();

const principalInForce = sql.raw(inForceKey('principal_id'));

/**
 * A link into the console for a principal's own users: opens one session, until `expiresAt`. Only the SHA-256
 * of its secret is stored.
 */
export const portalLinks = serviceSchema.table(
  'portal_links',
  {
    id: text().primaryKey(),
    secretHash: hash().notNull(),
    principalId: text()
      .notNull()
      .references(() => principals.id),
    /** The key that created the link; the link ends with it. */
    keyId: text()
      .notNull()
      .references(() => apiKeys.id),
    capabilities: capabilities(),
    label: text(),
    createdAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
    usedAt: instant(),
    /** When it was revoked. */
    endedAt: instant(),
  },
  (table) => [
    uniqueIndex().on(table.secretHash),
    index().on(table.principalId, table.createdAt, table.id),
    index().on(table.expiresAt),
    index('portal_links_waiting')
      .on(principalInForce, table.expiresAt)
      .where(sql`used_at is null and ended_at is null`),
  ],
);

/**
 * A browser logged in with a key. Only the SHA-256 of the cookie's token is stored. The session is active
 * until `expiresAt`, which moves on with its use, unless it has ended or its key is not active.
 */
export const sessions = serviceSchema.table(
  'sessions',
  {
    id: text().primaryKey(),
    tokenHash: hash().notNull(),
    principalId: text()
      .notNull()
      .references(() => principals.id),
    keyId: text()
      .notNull()
      .references(() => apiKeys.id),
    capabilities: capabilities(),
    label: text(),
    /** The link that opened the session, if any. No foreign key, because links are deleted earlier. */
    portalLinkId: text(),
    createdAt: instant().notNull().defaultNow(),
    lastUsedAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [
    uniqueIndex().on(table.tokenHash),
    index().on(table.principalId, table.createdAt, table.id),
    index().on(table.expiresAt),
    index('sessions_in_force').on(principalInForce, table.expiresAt).where(sql`ended_at is null`),
  ],
);
