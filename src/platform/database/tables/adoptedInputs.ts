import { integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { hash } from '../columns.ts';
import { serviceSchema } from '../schema.ts';
import { records } from './records.ts';

/**
 * An input that an agreement had when it was adopted, in a block that a reorg could still replace. It stays history in
 * whatever block it comes back. All other inputs after `adoptedFinal` are announced. Rows are kept with the record, because
 * blocks of a rebuilt index are folded again.
 */
export const adoptedInputs = serviceSchema.table(
  'adopted_inputs',
  {
    recordId: text()
      .notNull()
      .references(() => records.id, { onDelete: 'cascade' }),
    transactionHash: hash().notNull(),
    /** Counts the agreement's inputs within the transaction from 0. */
    ordinal: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.recordId, table.transactionHash, table.ordinal] })],
);
