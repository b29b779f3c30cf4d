import { sql } from 'drizzle-orm';
import { bigint, index, integer, json, serial, text, unique, uniqueIndex } from 'drizzle-orm/pg-core';
import { nodeObjections } from '../../nodes/nodeAnswer.ts';
import { address, blockNumber, bytes, hash, instant, uint256 } from '../columns.ts';
import { listOf, oneOf } from '../oneOf.ts';
import { serviceSchema } from '../schema.ts';

/**
 * accepted: stored; signed: bytes and nonce fixed; broadcast: a node has it, and the chain has not mined it for a while; mined: the
 * index shows the permit's effect.
 */
export const transactionStates = ['accepted', 'signed', 'broadcast', 'mined', 'final', 'failed'] as const;
export type TransactionState = (typeof transactionStates)[number];

const someOf = <const States extends readonly TransactionState[]>(...states: States) => states;
/** Its bytes are fixed, and may reach a node at any time. */
export const sentStates = someOf('signed', 'broadcast');
/** Nothing of it is on the chain, as far as the index shows, and it may still come. */
export const openStates = someOf('accepted', ...sentStates);
/** Its effect can still come, or fall out again. */
export const unsettledStates = someOf(...openStates, 'mined');

/** The same as they stand in lists of SQL. */
export const stateLists = {
  sent: listOf(sentStates),
  open: listOf(openStates),
  unsettled: listOf(unsettledStates),
} as const;

export const transactionKinds = ['deploy', 'input'] as const;

/** By what an input was admitted, and what it was taken to come after: what a revert is explained by. */
export type Admission = {
  readonly by: 'local' | 'node';
  /** How many inputs of the agreement the index showed, the block of the last of them, and that block's hash. */
  readonly position?: number;
  readonly blockNumber?: string;
  readonly blockHash?: string;
  /** The rows of the outbox that were taken to come before it. */
  readonly after?: readonly string[];
  /** Whether a call that nobody could make then decides about it. */
  readonly isExternal?: boolean;
};

/**
 * What rows have in common whose effects can depend on each other: the inputs of one agreement, whoever signed them; of a factory the
 * deployments of one signer. The state stands in front, in one text with it, so that an index over the text serves that question and
 * nothing else.
 */
export const orderKeyOf = (row: string, state = `${row}state`) =>
  `${state} || ' ' || ${row}chain_id::text || ' ' || ${row}contract || case when ${row}kind = 'input' then '' else ' ' || ${row}signer end`;

/** Whose turn a row takes: rows of before principals were noted share one. */
export const ownerKeyOf = (row: string) => `coalesce(${row}principal_id, '')`;

/**
 * The outbox: one row per permit, for ever. Whoever sends the same permit again gets this row; of one signer's nonce in one
 * contract at most one row is not failed. `contentHash` is what the index is compared with: all that was signed of a deployment
 * (the document's hash alone in rows of earlier versions), keccak256 of input id and payload of an input.
 */
export const transactions = serviceSchema.table(
  'transactions',
  {
    id: text().primaryKey(),
    chainId: integer().notNull(),
    kind: text({ enum: transactionKinds }).notNull(),
    /** Who brought it first: whose turn it takes, and whose quotas. Null for rows of before that was noted. */
    principalId: text(),
    /** The factory of a deployment, the agreement of an input: the permit's verifying contract, and the call's target. */
    contract: address().notNull(),
    signer: address().notNull(),
    permitNonce: uint256().notNull(),
    permitDigest: hash().notNull(),
    contentHash: hash().notNull(),
    /** Unix seconds; the chain refuses the permit in blocks with a later timestamp. */
    deadline: uint256().notNull(),
    callData: bytes().notNull(),
    /** What the simulation at acceptance used or what inputs of the kind use at the most, a hint for the sender. */
    gasEstimate: bigint({ mode: 'bigint' }),
    /** What calls that use as much gas have in common, as `gas_bounds` has it; null where nobody knows. */
    gasKind: text(),
    /** Null for deployments, and for rows of earlier versions. */
    admission: json().$type<Admission>(),
    state: text({ enum: transactionStates }).notNull().default('accepted'),
    failure: json().$type<{ reason: string; message: string; [fact: string]: unknown }>(),
    wallet: address(),
    walletNonce: bigint({ mode: 'number' }),
    /** Of the newest attempt; once mined, of the transaction that had the effect, whoever sent it. */
    txHash: hash(),
    /** Somebody asks a signer outside of the process for bytes of this accepted row: until then others leave it alone. */
    reservedUntil: instant(),
    /** The block in which the permit's nonce was used up: by its own effect, or by the content that superseded it. */
    minedBlockNumber: blockNumber(),
    /** The request that it was first accepted from, and where that stood in its trace; null for what nobody told. */
    requestId: text(),
    traceParent: text(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    oneOf('transactions', 'kind', transactionKinds),
    oneOf('transactions', 'state', transactionStates),
    unique('transactions_permit').on(table.chainId, table.permitDigest, table.signer),
    uniqueIndex('transactions_open_permit')
      .on(table.chainId, sql`lower(${table.contract})`, sql`lower(${table.signer})`, table.permitNonce)
      .where(sql`state <> 'failed'`),
    index('transactions_open')
      .on(table.chainId, table.deadline)
      .where(sql.raw(`state in (${stateLists.open})`)),
    index('transactions_of_principal')
      .on(table.principalId, table.chainId, table.createdAt, table.id)
      .where(sql.raw(`state in (${stateLists.open})`)),
    // By whose turn it is: signing takes the oldest of each principal.
    index('transactions_waiting')
      .on(table.chainId, sql.raw(`(${ownerKeyOf('')})`), table.createdAt, table.id)
      .where(sql`state = 'accepted'`),
    // By what rows can depend on: what is not final keeps those that come after it in order.
    index('transactions_in_order')
      .on(sql.raw(`(${orderKeyOf('')})`), table.createdAt, table.id)
      .where(sql.raw(`state in (${stateLists.unsettled})`)),
    index('transactions_under_way')
      .on(table.chainId, table.wallet, table.walletNonce)
      .where(sql.raw(`state in (${stateLists.sent})`)),
    index('transactions_mined')
      .on(table.chainId, table.minedBlockNumber)
      .where(sql`mined_block_number is not null`),
    index('transactions_not_final').on(table.chainId, table.minedBlockNumber).where(sql`state = 'mined'`),
    index('transactions_failed')
      .on(table.chainId, sql`lower(${table.contract})`, sql`lower(${table.signer})`, table.permitNonce)
      .where(sql`state = 'failed'`),
    /** The call holds all that was signed and the signature: by it a permit that is sent again is recognised. */
    index('transactions_call').using('hash', table.callData),
    index('transactions_hash').using('hash', table.txHash),
  ],
);

/** One signed form of a transaction; written before its bytes leave the process, and never deleted. */
export const transactionAttempts = serviceSchema.table(
  'transaction_attempts',
  {
    id: serial().primaryKey(),
    /** Null where the bytes only use up a nonce that no transaction needs any more. */
    transactionId: text().references(() => transactions.id),
    chainId: integer().notNull(),
    wallet: address().notNull(),
    walletNonce: bigint({ mode: 'number' }).notNull(),
    txHash: hash().notNull(),
    rawTransaction: bytes().notNull(),
    maxFeePerGas: uint256().notNull(),
    maxPriorityFeePerGas: uint256().notNull(),
    gas: uint256().notNull(),
    createdAt: instant().notNull().defaultNow(),
    /** When a node last took it; null while none has. */
    acceptedAt: instant(),
    /** Why a node last did not take it, and the node's own words; null where it took it, or said nothing. */
    objection: text({ enum: nodeObjections }),
    objectionText: text(),
  },
  (table) => [
    oneOf('transaction_attempts', 'objection', nodeObjections),
    unique('transaction_attempts_hash').on(table.chainId, table.txHash),
    /** With the id, since the newest one is asked for. */
    index('transaction_attempts_newest').on(table.transactionId, table.id),
    index().on(table.chainId, table.wallet, table.walletNonce),
  ],
);
