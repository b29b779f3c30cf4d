import { integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { blockNumber, hash, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';

/** How far the service has folded the index of a chain: the records hold everything up to `headNumber`. */
export const projections = serviceSchema.table('projections', {
  chainId: integer().primaryKey(),
  headNumber: blockNumber().notNull(),
  headHash: hash().notNull(),
  headTimestamp: instant().notNull(),
  /**
   * The deployment of the index that was last compared; null if it showed less than was folded, so that
   * nothing was compared.
   */
  comparedDeployment: text(),
  /** How far that deployment showed the chain, and how far its blocks matched the folded ones. */
  comparedThrough: blockNumber(),
  foldedThrough: blockNumber(),
  updatedAt: instant().notNull().defaultNow(),
});

/**
 * The blocks whose events are folded into records. If the index shows a block with another hash, or with more
 * or fewer events, the block is undone first.
 */
export const foldedBlocks = serviceSchema.table(
  'folded_blocks',
  {
    chainId: integer().notNull(),
    number: blockNumber().notNull(),
    hash: hash().notNull(),
    timestamp: instant().notNull(),
    /**
     * The number of deployments and inputs that the index showed in it; null if an earlier version folded it
     * without counting.
     */
    eventCount: integer(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.number] })],
);
