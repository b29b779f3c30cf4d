import { sql } from 'drizzle-orm';
import { boolean, index, integer, json, text, unique } from 'drizzle-orm/pg-core';
import type { Participant } from '../../../protocol/participants.ts';
import type { WireValues } from '../../../protocol/values.ts';
import { address, blockNumber, hash, instant } from '../columns.ts';
import { foldedSql } from '../foldedText.ts';
import { oneOf } from '../oneOf.ts';
import { type OrderedColumn, orderedKey } from '../orderedKey.ts';
import { serviceSchema } from '../schema.ts';
import { principals } from './access.ts';
import { transactions } from './transactions.ts';

export const recordStatuses = ['Draft', 'Deployed'] as const;
export const participantAccesses = ['none', 'read', 'sign'] as const;
export type ParticipantAccess = (typeof participantAccesses)[number];

/** Effective values by variable name, in wire form: texts and booleans. */
export type VariableValues = WireValues;

/**
 * The filters of the list of records, each as one text: only the index over that text can serve the filter,
 * so the planner has no choice to make. (It would choose by averages.) State names may have any length; an
 * index takes the first characters.
 */
export const recordKeys = {
  chain: (record: string) => `${record}principal_id || ' ' || ${record}chain_id::text`,
  state: (record: string) => `${recordKeys.chain(record)} || ' ' || left(${record}state, 64)`,
} as const;
const key = (text: string, column: OrderedColumn) => sql.raw(orderedKey(text, column));
const chainKey = (column: OrderedColumn) => key(`(${recordKeys.chain('')})`, column);
/** The form of names for sorting and searching. */
const name = sql.raw(foldedSql('display_name'));
const stateKey = (column: OrderedColumn) => key(`(${recordKeys.state('')})`, column);

/**
 * One agreement of one principal. A row is a Draft from the moment its deployment is accepted, and Deployed
 * while the index shows the agreement. Only the projector writes on-chain data (state, variables, last
 * input), and they always equal the index at `stateBlockNumber`.
 */
export const records = serviceSchema.table(
  'records',
  {
    id: text().primaryKey(),
    principalId: text()
      .notNull()
      .references(() => principals.id),
    chainId: integer().notNull(),
    /**
     * Null for a Draft, unless the record was requested by address: then it is Deployed once the index shows
     * the address. It loses the address to another record of the principal if a reorg puts that record's agreement there.
     */
    address: address(),
    status: text({ enum: recordStatuses }).notNull(),
    displayName: text().notNull(),
    /** The authored document as it was hashed, character by character. Never jsonb, which would reorder it. */
    document: text().notNull(),
    docHash: hash().notNull(),
    templateId: text().notNull(),
    /** Cut after 2,048 characters: an adopted agreement may have a longer one. */
    docUri: text().notNull(),
    documentId: text(),
    participants: json().$type<readonly Participant[]>().notNull(),
    observers: json().$type<readonly string[]>().notNull(),
    contributors: json().$type<readonly string[]>().notNull(),
    notificationTemplate: text(),
    /** The values at creation. `variables` are these, overwritten by the mined inputs. */
    initialVariables: json().$type<VariableValues>().notNull(),
    variables: json().$type<VariableValues>().notNull(),
    /** The permit that creates the agreement; null if the agreement was adopted from the chain, or is not signed yet. */
    deployTransactionId: text().references(() => transactions.id),
    /** For an agreement adopted from the chain: the latest block at that time. Null if the record was deployed here. */
    adoptedThrough: blockNumber(),
    /** The identity of the adopted agreement's creation (`Creation`). Null for adoptions of earlier versions. */
    adoptedCreation: text(),
    /**
     * The latest block at that time that no reorg could reach. Inputs up to it are history and cause no events, and so are
     * later ones in `adoptedInputs`. Null for adoptions of earlier versions: their history ends with `adoptedThrough`.
     */
    adoptedFinal: blockNumber(),
    /** Why the current permit will not deploy this Draft. */
    error: json().$type<{ reason: string; message: string }>(),
    owner: address(),
    initialStateHash: hash(),
    stateHash: hash(),
    /** The document's name for `stateHash`, or the hash without one. */
    state: text(),
    stateBlockNumber: blockNumber(),
    stateUpdatedAt: instant(),
    deployTxHash: hash(),
    deployBlockNumber: blockNumber(),
    /** The time of that block. */
    deployedAt: instant(),
    inputCount: integer().notNull().default(0),
    transitionCount: integer().notNull().default(0),
    lastInputId: text(),
    lastInputAt: instant(),
    /**
     * The history is longer than one fold, and the rest follows; everything in the row is right at
     * `stateBlockNumber`.
     */
    behind: boolean().notNull().default(false),
    /**
     * The highest `stateBlockNumber` that the record has had. Later blocks are folded for the first time, so their events cannot have
     * been removed. Never goes back, even if a reorg undoes blocks. An earlier version writes none: `stateBlockNumber` counts where
     * it is higher.
     */
    announcedThrough: blockNumber(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
    /**
     * A prepared deployment that its owner has not signed yet. There is no permit, and the index will show
     * nothing of it.
     */
    awaitsOwner: boolean().notNull().default(false),
    /** What the participants' wallets may do with the record after their login. */
    participantAccess: text({ enum: participantAccesses }).notNull().default('none'),
    /** The variables whose wallets may log in; null while none may. */
    accessVariables: json().$type<readonly string[]>(),
  },
  (table) => [
    oneOf('records', 'status', recordStatuses),
    oneOf('records', 'participant_access', participantAccesses),
    unique('records_agreement').on(table.principalId, table.chainId, table.address),
    unique('records_document').on(table.principalId, table.documentId),
    unique('records_permit').on(table.principalId, table.deployTransactionId),
    index('records_contract').on(table.chainId, sql`lower(${table.address})`),
    index('records_deployed_in').on(table.chainId, table.deployBlockNumber),
    index('records_awaited')
      .on(table.chainId)
      .where(sql`status = 'Draft' and error is null and not awaits_owner`),
    index('records_behind').on(table.chainId).where(sql`behind`),
    index().on(table.deployTransactionId),
    // One index for each order of the list: of all records, of a chain's, and of a chain's in one state.
    // Lists of a state on all chains are merged from the last one, so that a write updates no fourth index
    // per order.
    index('records_created').on(key('principal_id', 'created_at'), table.createdAt, table.id),
    index('records_updated').on(key('principal_id', 'updated_at'), table.updatedAt, table.id),
    index('records_named').on(key('principal_id', 'display_name'), name, table.id),
    index('records_chain_created').on(chainKey('created_at'), table.createdAt, table.id),
    index('records_chain_updated').on(chainKey('updated_at'), table.updatedAt, table.id),
    index('records_chain_named').on(chainKey('display_name'), name, table.id),
    index('records_state_created').on(stateKey('created_at'), table.createdAt, table.id),
    index('records_state_updated').on(stateKey('updated_at'), table.updatedAt, table.id),
    index('records_state_named').on(stateKey('display_name'), name, table.id),
  ],
);
