import { index, onchainTable, primaryKey } from 'ponder';

/**
 * The chains' data and nothing else. `chainId` leads every key, so that chains are indexed independently.
 * Block numbers and nonces are bigint; timestamps are Unix seconds of the block. The exports are named for
 * GraphQL, which derives `agreement` and `agreements` from `agreement`; the database tables have plural
 * names.
 */

/** One row per agreement that a followed factory deployed, with the state after its last accepted input. */
export const agreement = onchainTable(
  'agreements',
  (t) => ({
    chainId: t.integer().notNull(),
    address: t.hex().notNull(),
    factory: t.hex().notNull(),
    owner: t.hex().notNull(),
    /** NUL characters and invalid UTF-8 are stored as U+FFFD. */
    docUri: t.text().notNull(),
    /** The bytes of the docUri, only if the text above is not exactly the chain's. */
    docUriBytes: t.hex(),
    docHash: t.hex().notNull(),
    /** Null only between the factory's event and the engine's, which are in one transaction. */
    initialState: t.hex(),
    currentState: t.hex(),
    /** The three values of a permit: null if the owner called the factory without one. */
    permitSigner: t.hex(),
    permitSubmitter: t.hex(),
    permitNonce: t.bigint(),
    /**
     * The hash of everything signed in the permit, from `hashDeploymentContent`. Null without a permit, and
     * if the factory was called through another contract, so that the signed data cannot be read.
     */
    contentHash: t.hex(),
    /** The number of accepted inputs, and of those that changed the state. */
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

/** Data of an agreement that only its creating call has; only if the transaction called the factory directly. */
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
    /** The number of the transition in its agreement from 1; null if the state stayed the same. */
    sequence: t.integer(),
    payload: t.hex().notNull(),
    /**
     * The payload decoded without a document, as JSON: `[{id, fType, data, value}]`; null if it is no array
     * of fields. `value` is a text (integers in decimal, NUL and invalid UTF-8 as U+FFFD), a boolean, or null
     * if the data do not decode. Stored as text, because Ponder copies the rows of a table with a JSON column
     * slowly at every write.
     */
    fields: t.text(),
    permitSigner: t.hex(),
    permitSubmitter: t.hex(),
    permitNonce: t.bigint(),
    transactionHash: t.hex().notNull(),
    transactionFrom: t.hex().notNull(),
    transactionTo: t.hex(),
    /**
     * Counts this agreement's inputs within the transaction from 0. Together with the hash it identifies the
     * input across reorgs.
     */
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

/** One row per registration of an action, from 0; of two with the same state and input the later one counts. */
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

/** The number of a signer's permits that a factory or an engine has used: the signer's next nonce there. */
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

/** One row per block with at least one of the events above; readers compare these rows to see a reorg. */
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
 * The last block that live indexing has passed, one row per chain. It is rolled back together with the other
 * rows (on a reorg, and when a stopped indexer starts again), unlike Ponder's own checkpoint. So all rows up
 * to this block exist.
 */
export const head = onchainTable('heads', (t) => ({
  chainId: t.integer().primaryKey(),
  number: t.bigint().notNull(),
  hash: t.hex().notNull(),
  timestamp: t.bigint().notNull(),
}));
