import { onchainTable } from 'ponder';

/** One row per event, with the event's arguments. */
export const deployment = onchainTable('deployments', (t) => ({
  id: t.text().primaryKey(),
  address: t.hex().notNull(),
  owner: t.hex().notNull(),
  docHash: t.hex().notNull(),
  blockNumber: t.bigint().notNull(),
}));

export const acceptance = onchainTable('acceptances', (t) => ({
  id: t.text().primaryKey(),
  agreement: t.hex().notNull(),
  inputId: t.hex().notNull(),
  fromState: t.hex().notNull(),
  toState: t.hex().notNull(),
  payload: t.hex().notNull(),
  transactionHash: t.hex().notNull(),
  blockNumber: t.bigint().notNull(),
  blockTimestamp: t.bigint().notNull(),
}));

export const permission = onchainTable('permissions', (t) => ({
  id: t.text().primaryKey(),
  agreement: t.hex().notNull(),
  signer: t.hex().notNull(),
  submitter: t.hex().notNull(),
  inputId: t.hex().notNull(),
  blockNumber: t.bigint().notNull(),
}));
