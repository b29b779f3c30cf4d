import { sql } from 'drizzle-orm';
import { bigint, bigserial, index, integer, json, text, unique, uniqueIndex } from 'drizzle-orm/pg-core';
import type { Hex } from 'viem';
import { nodeObjections } from '../../nodes/nodeAnswer.ts';
import { address, blockNumber, bytes, hash, instant, uint256 } from '../columns.ts';
import { listOf, oneOf } from '../oneOf.ts';
import { serviceSchema } from '../schema.ts';

/**
 * accepted: stored. signed: bytes and nonce are fixed. broadcast: a node has it, but the chain has not mined
 * it for a while. mined: the index shows the permit's effect.
 */
export const transactionStates = ['accepted', 'signed', 'broadcast', 'mined', 'final', 'failed'] as const;
export type TransactionState = (typeof transactionStates)[number];

const someOf = <const States extends readonly TransactionState[]>(...states: States) => states;
/** Its bytes are fixed and may reach a node at any time. */
export const sentStates = someOf('signed', 'broadcast');
/** The index shows no effect of it yet, but the effect can still come. */
export const openStates = someOf('accepted', ...sentStates);
/** Its effect can still come or fall out again. */
export const unsettledStates = someOf(...openStates, 'mined');

/** The same states as SQL lists. */
export const stateLists = {
  sent: listOf(sentStates),
  open: listOf(openStates),
  unsettled: listOf(unsettledStates),
} as const;

export const transactionKinds = ['deploy', 'input'] as const;

/** How an input was admitted, and which inputs were assumed to come before it. This explains a later revert. */
export type Admission = {
  readonly by: 'local' | 'node';
  /** Number of the agreement's inputs in the index. */
  readonly position?: number;
  /** The block of the last one, and its hash. With a node: its latest block. */
  readonly blockNumber?: string;
  readonly blockHash?: Hex;
  /** Outbox rows that were assumed to come before it. */
  readonly after?: readonly string[];
  /** Whether the outcome also depends on other contracts, which verify the input or which the agreement calls. */
  readonly isExternal?: boolean;
  /** Whether a guest sent it: then its record's guests have used its gas. */
  readonly isGuests?: boolean;
};

/**
 * The key shared by rows whose effects can depend on each other: all inputs of one agreement, or all
 * deployments of one signer at a factory. The state comes first in the same text, so that an index over the
 * text serves only this query.
 */
export const orderKeyOf = (row: string, state = `${row}state`) =>
  `${state} || ' ' || ${row}chain_id::text || ' ' || ${row}contract || case when ${row}kind = 'input' then '' else ' ' || ${row}signer end`;

/** The owner whose turn a row takes. Older rows without a principal share one. */
export const ownerKeyOf = (row: string) => `coalesce(${row}principal_id, '')`;

/**
 * The outbox: one row per permit, kept permanently. Sending the same permit again returns this row. For one nonce of a
 * signer in a contract, at most one row is not failed. `contentHash` is compared with the index: it covers everything
 * signed in a deployment (only the document's hash in rows of earlier versions), or it is keccak256 of input id and
 * payload of an input.
 */
export const transactions = serviceSchema.table(
  'transactions',
  {
    id: text().primaryKey(),
    chainId: integer().notNull(),
    kind: text({ enum: transactionKinds }).notNull(),
    /**
     * The principal whose turn and quotas count: the first one that sent the permit, the one that sent it again after it
     * had failed, or another sender whose gas quota pays for a repetition. Null in older rows.
     */
    principalId: text(),
    /**
     * The factory of a deployment, or the agreement of an input: the permit's verifying contract and the
     * call's target.
     */
    contract: address().notNull(),
    signer: address().notNull(),
    permitNonce: uint256().notNull(),
    permitDigest: hash().notNull(),
    contentHash: hash().notNull(),
    /** Unix seconds; the chain refuses the permit in blocks with a later timestamp. */
    deadline: uint256().notNull(),
    callData: bytes().notNull(),
    /**
     * A hint for the sender: the gas of the simulation at acceptance, the most gas that inputs of this kind
     * use, or else the gas of the first attempt. The principal's usage counts it. Null: estimate when sending.
     */
    gasEstimate: bigint({ mode: 'bigint' }),
    /** The key of calls with similar gas in `gas_bounds`; null if unknown. */
    gasKind: text(),
    /** Null for deployments, and for rows of earlier versions. */
    admission: json().$type<Admission>(),
    state: text({ enum: transactionStates }).notNull().default('accepted'),
    failure: json().$type<{ reason: string; message: string; [fact: string]: unknown }>(),
    wallet: address(),
    walletNonce: bigint({ mode: 'number' }),
    /** From the newest attempt; once mined, from the transaction that had the effect, whoever sent it. */
    txHash: hash(),
    /**
     * Set while an external signer is asked for the bytes of this accepted row; until then other processes
     * leave it alone.
     */
    reservedUntil: instant(),
    /** The block in which the permit's nonce was used up, by its own effect or by content that superseded it. */
    minedBlockNumber: blockNumber(),
    /** The request that it was first accepted from, and its trace position; null if unknown. */
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
    // The second condition holds for all rows. Only queries by deadline imply it, so that no query for the rows of one
    // principal goes through those of all.
    index('transactions_open')
      .on(table.chainId, table.deadline)
      .where(sql.raw(`state in (${stateLists.open}) and deadline is not null`)),
    index('transactions_of_principal')
      .on(table.principalId, table.chainId, table.createdAt, table.id)
      .where(sql.raw(`state in (${stateLists.open})`)),
    // For turns: signing takes the oldest row of each principal.
    index('transactions_waiting')
      .on(table.chainId, sql.raw(`(${ownerKeyOf('')})`), table.createdAt, table.id)
      .where(sql`state = 'accepted'`),
    // For dependencies: rows that are not final keep later rows in order.
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
    /** The call contains all signed data and the signature, so a repeated permit is recognised by it. */
    index('transactions_call').using('hash', table.callData),
    index('transactions_hash').using('hash', table.txHash),
  ],
);

/** One signed form of a transaction. Written before its bytes leave the process, and never deleted. */
export const transactionAttempts = serviceSchema.table(
  'transaction_attempts',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    /** Null if the bytes only use up a nonce that no transaction needs any more. */
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
    /** When a node last accepted it; null while none has. */
    acceptedAt: instant(),
    /** Why a node last refused it, and the node's own words; null if it accepted it or gave no answer. */
    objection: text({ enum: nodeObjections }),
    objectionText: text(),
  },
  (table) => [
    oneOf('transaction_attempts', 'objection', nodeObjections),
    unique('transaction_attempts_hash').on(table.chainId, table.txHash),
    /** Includes the id, because queries ask for the newest attempt. */
    index('transaction_attempts_newest').on(table.transactionId, table.id),
    index().on(table.chainId, table.wallet, table.walletNonce),
  ],
);
