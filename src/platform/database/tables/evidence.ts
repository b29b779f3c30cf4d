import { index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';

/**
 * A transaction with its receipt and their proofs against the header of its block, as files of evidence hold them. What a row says
 * follows from the block's hash alone: it is computed once, stays right whatever the chain does, and belongs to no principal.
 * A row that no file has needed for a month is deleted.
 */
export const evidenceProofs = serviceSchema.table(
  'evidence_proofs',
  {
    chainId: integer().notNull(),
    blockHash: hash().notNull(),
    transactionHash: hash().notNull(),
    /** JSON, character by character as files hold it. */
    block: text().notNull(),
    /** The transaction's place in the block. */
    transactionIndex: integer().notNull(),
    /** JSON without the first member, which says where in the file the block stands. */
    entry: text().notNull(),
    usedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.blockHash, table.transactionHash] }),
    index('evidence_proofs_used').on(table.usedAt),
  ],
);
