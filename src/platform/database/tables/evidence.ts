import { index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';
import { principals } from './access.ts';

/**
 * A transaction with its receipt and their proofs against the header of its block, in the form of evidence
 * files. Its content follows from the block's hash alone: it is computed once for each principal, and stays right
 * whatever the chain does. No principal reads another's rows: their presence would reveal what the other one holds. A row
 * that no file has needed for a month is deleted.
 */
export const evidenceProofs = serviceSchema.table(
  'evidence_proofs',
  {
    principalId: text()
      .notNull()
      .references(() => principals.id),
    chainId: integer().notNull(),
    blockHash: hash().notNull(),
    transactionHash: hash().notNull(),
    /** JSON, character by character as in files. */
    block: text().notNull(),
    transactionIndex: integer().notNull(),
    /** JSON without the first member, which says where the block is in the file. */
    entry: text().notNull(),
    usedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({
      name: 'evidence_proofs_place',
      columns: [table.principalId, table.chainId, table.blockHash, table.transactionHash],
    }),
    index('evidence_proofs_used').on(table.usedAt),
  ],
);
