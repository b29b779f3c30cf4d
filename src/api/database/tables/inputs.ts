import { sql } from 'drizzle-orm';
import { index, integer, json, text, unique } from 'drizzle-orm/pg-core';
import { address, blockNumber, bytes, hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';
import { principals } from './access.ts';
import { records } from './records.ts';
import { transactions } from './transactions.ts';

/**
 * One input in the history of one record: a submission of its principal (`transactionId` is set) or what others sent to the
 * contract, or both in one where the index shows the submission. `position` is the index's; it is set exactly while MINED.
 */
export const inputs = serviceSchema.table(
  'inputs',
  {
    id: text().primaryKey(),
    recordId: text()
      .notNull()
      .references(() => records.id),
    chainId: integer().notNull(),
    agreementAddress: address().notNull(),
    /** The name that the document gives to the input, or its hash where it names none. */
    inputId: text().notNull(),
    status: text().$type<'PENDING' | 'MINED' | 'FAILED'>().notNull(),
    /** The principal that submitted it; null for what reached the chain by another way. */
    userId: text().references(() => principals.id),
    transactionId: text().references(() => transactions.id),
    signer: address(),
    submitter: address(),
    fromState: text(),
    toState: text(),
    payload: bytes().notNull(),
    values: json().$type<Record<string, unknown>>().notNull(),
    txHash: hash(),
    position: integer(),
    /** Counts the agreement's inputs within the transaction from 0. */
    transactionOrdinal: integer(),
    /** The number of the transition in its agreement; null while not mined and where the state stayed the same. */
    sequence: integer(),
    blockNumber: blockNumber(),
    error: json().$type<{ reason: string; message: string }>(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    unique('inputs_position').on(table.recordId, table.position),
    unique('inputs_permit').on(table.recordId, table.transactionId),
    index().on(table.recordId, table.createdAt, table.id),
    index().on(table.recordId, table.updatedAt, table.id),
    index().on(table.transactionId),
    index().on(table.chainId, table.blockNumber),
    index('inputs_pending').on(table.chainId).where(sql`status = 'PENDING'`),
  ],
);
