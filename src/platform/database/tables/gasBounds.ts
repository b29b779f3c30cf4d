import { integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant, uint256 } from '../columns.ts';
import { serviceSchema } from '../schema.ts';

/**
 * What inputs of one kind were seen to use at the most: those of one definition with one input id. `executionGas` is without what
 * the call data cost, of a call with so many bytes of data.
 */
export const gasBounds = serviceSchema.table(
  'gas_bounds',
  {
    chainId: integer().notNull(),
    kind: text().notNull(),
    executionGas: uint256().notNull(),
    callBytes: integer().notNull(),
    /** Receipts that it was compared with. */
    receipts: integer().notNull().default(0),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.kind] })],
);
