import { integer, json, pgSchema, text } from 'drizzle-orm/pg-core';
import { hash, uint256 } from './columns.ts';
import { indexViewsSchemaName } from './indexNames.ts';

/**
 * The service's view of the index tables: Ponder's views over the live deployment. Written by hand, because
 * importing the index's own schema costs a process a second and hundreds of megabytes; a test compares the
 * two. Addresses and hashes are in lower case here, unlike in the service's tables. Read-only.
 */
const views = pgSchema(indexViewsSchemaName);
const hex = hash;

export const indexedAgreements = views.table('agreements', {
  chainId: integer().notNull(),
  address: hex().notNull(),
  factory: hex().notNull(),
  owner: hex().notNull(),
  docUri: text().notNull(),
  docUriBytes: hex(),
  docHash: hex().notNull(),
  initialState: hex(),
  currentState: hex(),
  permitSigner: hex(),
  permitSubmitter: hex(),
  permitNonce: uint256(),
  contentHash: hex(),
  inputCount: integer().notNull(),
  transitionCount: integer().notNull(),
  verifierCount: integer().notNull(),
  actionCount: integer().notNull(),
  transactionHash: hex().notNull(),
  transactionFrom: hex().notNull(),
  transactionTo: hex(),
  logIndex: integer().notNull(),
  blockNumber: uint256().notNull(),
  blockHash: hex().notNull(),
  blockTimestamp: uint256().notNull(),
  updatedBlockNumber: uint256().notNull(),
  updatedBlockTimestamp: uint256().notNull(),
});

export const indexedDefinitions = views.table('definitions', {
  chainId: integer().notNull(),
  agreement: hex().notNull(),
  functionName: text().notNull(),
  salt: hex(),
  inputDefs: json().notNull(),
  transitions: json().notNull(),
  initVars: json().notNull(),
});

export const indexedInputs = views.table('inputs', {
  chainId: integer().notNull(),
  agreement: hex().notNull(),
  position: integer().notNull(),
  inputId: hex().notNull(),
  fromState: hex().notNull(),
  toState: hex().notNull(),
  sequence: integer(),
  payload: hex().notNull(),
  fields: text(),
  permitSigner: hex(),
  permitSubmitter: hex(),
  permitNonce: uint256(),
  transactionHash: hex().notNull(),
  transactionFrom: hex().notNull(),
  transactionTo: hex(),
  transactionOrdinal: integer().notNull(),
  logIndex: integer().notNull(),
  blockNumber: uint256().notNull(),
  blockHash: hex().notNull(),
  blockTimestamp: uint256().notNull(),
});

export const indexedVerifiers = views.table('verifiers', {
  chainId: integer().notNull(),
  agreement: hex().notNull(),
  ordinal: integer().notNull(),
  key: hex().notNull(),
  verifier: hex().notNull(),
});

export const indexedActions = views.table('actions', {
  chainId: integer().notNull(),
  agreement: hex().notNull(),
  ordinal: integer().notNull(),
  fromState: hex().notNull(),
  inputId: hex().notNull(),
  target: hex().notNull(),
  value: uint256().notNull(),
  data: hex().notNull(),
});

export const indexedPermitCounts = views.table('permit_counts', {
  chainId: integer().notNull(),
  contract: hex().notNull(),
  signer: hex().notNull(),
  count: uint256().notNull(),
});

export const indexedBlocks = views.table('blocks', {
  chainId: integer().notNull(),
  number: uint256().notNull(),
  hash: hex().notNull(),
  timestamp: uint256().notNull(),
});

export const indexedHeads = views.table('heads', {
  chainId: integer().notNull(),
  number: uint256().notNull(),
  hash: hex().notNull(),
  timestamp: uint256().notNull(),
});
