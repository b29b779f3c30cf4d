import { sql } from 'drizzle-orm';
import { index, integer, json, text, unique } from 'drizzle-orm/pg-core';
import { address, blockNumber, bytes, hash, instant } from '../columns.ts';
import { oneOf } from '../oneOf.ts';
import { type OrderedColumn, orderedKey } from '../orderedKey.ts';
import { serviceSchema } from '../schema.ts';
import { principals } from './access.ts';
import { records } from './records.ts';
import { transactions } from './transactions.ts';

export const inputStatuses = ['PENDING', 'MINED', 'FAILED'] as const;
export type InputStatus = (typeof inputStatuses)[number];

/** Orders inputs of the same time as on the chain; inputs that are not on the chain come last. */
export const inputRankOf = (position: string) => `coalesce(${position}, 2147483647)`;
const rank = sql.raw(`(${inputRankOf('"position"')})`);
/**
 * The filters of a history, each as one text: only the index over that text can serve the filter, so the
 * planner has no choice to make. (It would choose by the length of an average history.) Input names may have
 * any length; an index takes the first characters.
 */
export const inputKeys = {
  status: (input: string) =>
    `${input}record_id || ' ' || ${input}status || ' ' || coalesce(${input}user_id, '')`,
  name: (input: string) => `${inputKeys.status(input)} || ' ' || left(${input}input_id, 64)`,
} as const;
const key = (text: string, column: OrderedColumn) => sql.raw(orderedKey(text, column));
const statusKey = (column: OrderedColumn) => key(`(${inputKeys.status('')})`, column);
const nameKey = (column: OrderedColumn) => key(`(${inputKeys.name('')})`, column);

/**
 * One input in the history of one record: its principal's submission (`transactionId` is set), or an input
 * that others sent to the contract, or both in one row once the index shows the submission. `position` comes
 * from the index and is set exactly while MINED.
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
    /** The document's name for the input, or its hash without one. */
    inputId: text().notNull(),
    status: text({ enum: inputStatuses }).notNull(),
    /** The principal that submitted it; null if it reached the chain another way. */
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
    /** The number of the transition in its agreement; null while not mined, and if the state stayed the same. */
    sequence: integer(),
    blockNumber: blockNumber(),
    error: json().$type<{ reason: string; message: string }>(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    oneOf('inputs', 'status', inputStatuses),
    unique('inputs_position').on(table.recordId, table.position),
    unique('inputs_permit').on(table.recordId, table.transactionId),
    // For the last transition, behind any number of inputs that kept the state.
    index('inputs_transitions').on(table.recordId, table.position).where(sql`sequence is not null`),
    // One index for each order of the history: of all inputs, and of those of one status and user, also by
    // input. Less specific filters are merged from these, because there are few statuses and only two users:
    // the principal and nobody.
    index('inputs_created').on(key('record_id', 'created_at'), table.createdAt, rank, table.id),
    index('inputs_updated').on(key('record_id', 'updated_at'), table.updatedAt, rank, table.id),
    index('inputs_status_created').on(statusKey('created_at'), table.createdAt, rank, table.id),
    index('inputs_status_updated').on(statusKey('updated_at'), table.updatedAt, rank, table.id),
    index('inputs_named_created').on(nameKey('created_at'), table.createdAt, rank, table.id),
    index('inputs_named_updated').on(nameKey('updated_at'), table.updatedAt, rank, table.id),
    index().on(table.transactionId),
    index().on(table.chainId, table.blockNumber),
    index('inputs_pending').on(table.chainId).where(sql`status = 'PENDING'`),
  ],
);
