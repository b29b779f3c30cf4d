import { index, onchainTable, primaryKey } from 'ponder';

/**
 * What the chains say, and nothing else. `chainId` leads every key, so that chains are indexed independently.
 * Block numbers and nonces are bigint; timestamps are Unix seconds of the block. The exports are named for GraphQL, which
 * makes `agreement` and `agreements` of `agreement`; the tables have the plural in the database.
 */

/** One row per agreement that a followed factory deployed, with the state after its last accepted input. */
export const agreement = onchainTable(
  'agreements',
  (t) => ({
    chainId: t.integer().notNull(),
    address: t.hex().notNull(),
    factory: t.hex().notNull(),
    owner: t.hex().notNull(),
    /** NUL characters and bytes that are no UTF-8 stand here as U+FFFD. */
    docUri: t.text().notNull(),
    /** The bytes of the docUri, only where the text above is not exactly what the chain holds. */
    docUriBytes: t.hex(),
    docHash: t.hex().notNull(),
    /** Null only between the factory's event and the engine's, which stand in one transaction. */
    initialState: t.hex(),
    currentState: t.hex(),
    initializedVersion: t.bigint(),
    /** The three of a permit: null where the owner called the factory without one. */
    permitSigner: t.hex(),
    permitSubmitter: t.hex(),
    permitNonce: t.bigint(),
    /**
     * All that was signed with the permit, as `hashDeploymentContent` has it; null where there is none, or where the factory was
     * called through another contract, so that what was signed cannot be read.
     */
    contentHash: t.hex(),
    /** How many inputs were accepted, and how many of them changed the state. */
    inputCount: t.integer().notNull(),
    transitionCount: t.integer().notNull(),
    verifierCount: t.integer().notNull(),
    actionCount: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
    transactionFrom: t.hex().notNull(),
    transactionTo: t.hex(),
    logIndex: t.integer().notNull(),
    blockNumber: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    blockTimestamp: t.bigint().notNull(),
    /** The block of the deployment or of the last accepted input. */
    updatedBlockNumber: t.bigint().notNull(),
    updatedBlockTimestamp: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.address] }),
    byBlock: index().on(table.chainId, table.blockNumber),
    byPermit: index().on(table.chainId, table.factory, table.permitSigner, table.permitNonce),
  }),
);

/** What the creating call data says of an agreement; only where the transaction called the factory directly. */
export const definition = onchainTable(
  'definitions',
  (t) => ({
    chainId: t.integer().notNull(),
    agreement: t.hex().notNull(),
    functionName: t.text().notNull(),
    salt: t.hex(),
    inputDefs: t.json().notNull(),
    transitions: t.json().notNull(),
    initVars: t.json().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.agreement] }) }),
);

/** One row per accepted input; `position` counts an agreement's inputs from 1 in the order of the chain. */
export const input = onchainTable(
  'inputs',
  (t) => ({
    chainId: t.integer().notNull(),
    agreement: t.hex().notNull(),
    position: t.integer().notNull(),
    inputId: t.hex().notNull(),
    fromState: t.hex().notNull(),
    toState: t.hex().notNull(),
    /** The number of the transition in its agreement from 1; null where the state stayed the same. */
    sequence: t.integer(),
    payload: t.hex().notNull(),
    /**
     * The payload decoded without a document, as JSON: `[{id, fType, data, value}]`; null where it is no array of fields. `value`
     * is a text (integers in decimal, NUL and invalid UTF-8 as U+FFFD), a boolean, or null where the data do not decode. A text,
     * because Ponder copies the rows of a table with a JSON column by a slow way at every write.
     */
    fields: t.text(),
    permitSigner: t.hex(),
    permitSubmitter: t.hex(),
    permitNonce: t.bigint(),
    transactionHash: t.hex().notNull(),
    transactionFrom: t.hex().notNull(),
    transactionTo: t.hex(),
    /** Counts this agreement's inputs within the transaction from 0: with the hash it names the input across reorgs. */
    transactionOrdinal: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockNumber: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    blockTimestamp: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.agreement, table.position] }),
    byBlock: index().on(table.chainId, table.blockNumber),
    byPermit: index().on(table.chainId, table.agreement, table.permitSigner, table.permitNonce),
  }),
);

/** One row per registered verifier, in the order of registration from 0. */
export const verifier = onchainTable(
  'verifiers',
  (t) => ({
    chainId: t.integer().notNull(),
    agreement: t.hex().notNull(),
    ordinal: t.integer().notNull(),
    key: t.hex().notNull(),
    verifier: t.hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.agreement, table.ordinal] }) }),
);

/** One row per registration of an action, from 0; of two with the same state and input the later one governs. */
export const action = onchainTable(
  'actions',
  (t) => ({
    chainId: t.integer().notNull(),
    agreement: t.hex().notNull(),
    ordinal: t.integer().notNull(),
    fromState: t.hex().notNull(),
    inputId: t.hex().notNull(),
    target: t.hex().notNull(),
    value: t.bigint().notNull(),
    data: t.hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.agreement, table.ordinal] }) }),
);

/** One row per executed action; `position` is that of the input that caused it. */
export const actionExecution = onchainTable(
  'action_executions',
  (t) => ({
    chainId: t.integer().notNull(),
    agreement: t.hex().notNull(),
    position: t.integer().notNull(),
    fromState: t.hex().notNull(),
    toState: t.hex().notNull(),
    inputId: t.hex().notNull(),
    target: t.hex().notNull(),
    transactionHash: t.hex().notNull(),
    blockNumber: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.agreement, table.position] }) }),
);

/** How many permits of a signer a factory or an engine has consumed: the signer's next nonce there. */
export const permitCount = onchainTable(
  'permit_counts',
  (t) => ({
    chainId: t.integer().notNull(),
    contract: t.hex().notNull(),
    signer: t.hex().notNull(),
    count: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.contract, table.signer] }) }),
);

/** One row per block that holds at least one event above: what a reader compares to see a reorg. */
export const block = onchainTable(
  'blocks',
  (t) => ({
    chainId: t.integer().notNull(),
    number: t.bigint().notNull(),
    hash: t.hex().notNull(),
    timestamp: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.number] }) }),
);

/**
 * The last block that live indexing has passed, one row per chain. It is rolled back together with the other rows (on a
 * reorg, and when a stopped indexer starts again), which Ponder's own checkpoint is not: all rows up to this block are there.
 */
export const head = onchainTable('heads', (t) => ({
  chainId: t.integer().primaryKey(),
  number: t.bigint().notNull(),
  hash: t.hex().notNull(),
  timestamp: t.bigint().notNull(),
}));
