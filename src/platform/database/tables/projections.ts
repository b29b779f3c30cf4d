import { integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { blockNumber, hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';

/** How far the service has folded the index of a chain: everything up to `headNumber` is in the records. */
export const projections = serviceSchema.table('projections', {
  chainId: integer().primaryKey(),
  headNumber: blockNumber().notNull(),
  headHash: hash().notNull(),
  headTimestamp: instant().notNull(),
  /** Which deployment of the index was compared last; null where it showed less than was folded and nothing was compared. */
  comparedDeployment: text(),
  /** How far that one showed the chain, and how far the folded blocks were the same then. */
  comparedThrough: blockNumber(),
  foldedThrough: blockNumber(),
  updatedAt: instant().notNull().defaultNow(),
});

/**
 * The blocks whose events are folded into records; a block that the index shows with another hash, or with more or fewer events, is
 * undone first.
 */
export const foldedBlocks = serviceSchema.table(
  'folded_blocks',
  {
    chainId: integer().notNull(),
    number: blockNumber().notNull(),
    hash: hash().notNull(),
    timestamp: instant().notNull(),
    /** How many deployments and inputs the index showed in it; null where a version folded it that did not count. */
    eventCount: integer(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.number] })],
);
