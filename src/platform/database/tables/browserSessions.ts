import { index, json, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';
import { apiKeys, principals } from './access.ts';

/** What a session or a link may do of what its key may; null for all of it. */
const capabilities = () => json().$type<readonly string[]>();

/**
 * One way into the console for somebody of a principal's own: good for one session, until `expiresAt`. Only the SHA-256 of its
 * secret is here.
 */
export const portalLinks = serviceSchema.table(
  'portal_links',
  {
    id: text().primaryKey(),
    secretHash: hash().notNull(),
    principalId: text()
      .notNull()
      .references(() => principals.id),
    /** By which it was made: with it the link ends. */
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
  ],
);

/**
 * One browser that a key has let in. Only the SHA-256 of the cookie's token is here. It is in force until `expiresAt`, which moves
 * on with its use, unless it has ended or its key is not active.
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
    /** The link that it was opened with, if one was; without a reference, since links are forgotten earlier. */
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
  ],
);
