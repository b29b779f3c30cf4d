import { index, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { address, hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';
import { records } from './records.ts';

/** A message for a wallet to sign, valid for one login until `expiresAt`. The nonce is part of the message. */
export const walletChallenges = serviceSchema.table(
  'wallet_challenges',
  {
    id: text().primaryKey(),
    wallet: address().notNull(),
    /** The whole text, in the form of EIP-4361. */
    message: text().notNull(),
    expiresAt: instant().notNull(),
  },
  (table) => [index().on(table.expiresAt)],
);

/** A browser logged in with a wallet. Only the SHA-256 of the cookie's token is stored. */
export const walletSessions = serviceSchema.table(
  'wallet_sessions',
  {
    id: text().primaryKey(),
    tokenHash: hash().notNull(),
    wallet: address().notNull(),
    createdAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [uniqueIndex().on(table.tokenHash), index().on(table.expiresAt)],
);

/**
 * The wallets that a record names now, in lower case, for records that let participants in. A wallet finds
 * its records of all principals here, newest first.
 */
export const recordWallets = serviceSchema.table(
  'record_wallets',
  {
    recordId: text()
      .notNull()
      .references(() => records.id, { onDelete: 'cascade' }),
    wallet: address().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.recordId, table.wallet] }),
    index('record_wallets_newest').on(table.wallet, table.createdAt, table.recordId),
  ],
);
