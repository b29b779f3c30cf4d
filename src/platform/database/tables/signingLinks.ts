import { sql } from 'drizzle-orm';
import { bigserial, index, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { address, hash, instant } from '../columns.ts';
import { inForceKey } from '../inForceKey.ts';
import { serviceSchema } from '../schema.ts';
import { apiKeys, principals } from './access.ts';
import { records } from './records.ts';

/**
 * A link to one record for somebody without a key, until `expiresAt`. Only the SHA-256 of its secret is
 * stored. It outlives the key that created it, because somebody outside has it.
 */
export const signingLinks = serviceSchema.table(
  'signing_links',
  {
    id: text().primaryKey(),
    secretHash: hash().notNull(),
    principalId: text()
      .notNull()
      .references(() => principals.id),
    recordId: text()
      .notNull()
      .references(() => records.id, { onDelete: 'cascade' }),
    may: text().$type<'read' | 'sign'>().notNull(),
    /** The variable whose wallet signs; null for a link that only reads. */
    participant: text(),
    note: text(),
    createdByApiKeyId: text().references(() => apiKeys.id),
    createdAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
    /** When it was revoked. */
    endedAt: instant(),
  },
  (table) => [
    uniqueIndex().on(table.secretHash),
    index().on(table.recordId, table.createdAt, table.id),
    index().on(table.expiresAt),
    index('signing_links_in_force')
      .on(sql.raw(inForceKey('record_id')), table.expiresAt)
      .where(sql`ended_at is null`),
  ],
);

export const signingLinkUseKinds = ['opened', 'evidence', 'input', 'deployment'] as const;
export type SigningLinkUseKind = (typeof signingLinkUseKinds)[number];

/** A use of a link: the record was opened, its evidence was read, or something was signed. */
export const signingLinkUses = serviceSchema.table(
  'signing_link_uses',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    linkId: text()
      .notNull()
      .references(() => signingLinks.id, { onDelete: 'cascade' }),
    kind: text().$type<SigningLinkUseKind>().notNull(),
    /** The signer. */
    wallet: address(),
    /** The input that was submitted. */
    inputId: text(),
    usedAt: instant().notNull().defaultNow(),
  },
  (table) => [index().on(table.linkId, table.id)],
);
