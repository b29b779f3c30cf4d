import { index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';

/**
 * A transaction with its receipt and their proofs against the header of its block, in the form of evidence
 * files. A row follows from the block's hash alone: it is computed once, stays right whatever the chain does,
 * and belongs to no principal. A row that no file has needed for a month is deleted.
 */
export const evidenceProofs = serviceSchema.table(
  'evidence_proofs',
  {
    chainId: integer().notNull(),
    blockHash: hash().notNull(),
    transactionHash: hash().notNull(),
    /** JSON, character by character as in files. */
    block: text().notNull(),
    /** The transaction's index in the block. */
    transactionIndex: integer().notNull(),
    /** JSON without the first member, which says where the block is in the file. */
    entry: text().notNull(),
    usedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.blockHash, table.transactionHash] }),
    index('evidence_proofs_used').on(table.usedAt),
  ],
);
