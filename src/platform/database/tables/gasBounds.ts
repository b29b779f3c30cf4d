import { integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant, uint256 } from '../columns.ts';
import { serviceSchema } from '../schema.ts';

/**
 * The most gas seen for inputs of one kind: one definition, one input id, and calls of a similar length.
 * `executionGas` excludes the cost of the call data; the call had this many bytes of data.
 */
export const gasBounds = serviceSchema.table(
  'gas_bounds',
  {
    chainId: integer().notNull(),
    kind: text().notNull(),
    executionGas: uint256().notNull(),
    callBytes: integer().notNull(),
    /** Number of receipts compared. */
    receipts: integer().notNull().default(0),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.kind] })],
);
