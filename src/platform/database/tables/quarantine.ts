import { index, integer, json, text } from 'drizzle-orm/pg-core';
import type { Hex } from 'viem';
import { instant } from '../columns.ts';
import { oneOf } from '../oneOf.ts';
import { serviceSchema } from '../schema.ts';
import { records, type VariableValues } from './records.ts';

/**
 * The next step of a quarantined record: to become Deployed, to begin, to be restored after a reorg, or to
 * continue.
 */
export const quarantinePhases = ['deploy', 'begin', 'restore', 'continue'] as const;
export type QuarantinePhase = (typeof quarantinePhases)[number];

/**
 * A long history as far as one try has restored it: the next try goes on there, if the block of its last input is
 * still on the chain. Numbers of blocks and Unix seconds are texts.
 */
export type RestoredPart = {
  readonly agreement: Hex;
  readonly inputCount: number;
  readonly blockHash: Hex;
  readonly transitionCount: number;
  readonly variables: VariableValues;
  readonly stateHash: Hex;
  readonly stateBlockNumber: string;
  readonly stateTimestamp: string;
  readonly lastInput: { readonly inputId: string; readonly timestamp: string };
};

/**
 * A record whose fold failed. It keeps its last folded state, and all other records go on. It is retried at
 * `retryAt`. When the retry succeeds, the row is deleted and the record is complete again.
 */
export const quarantinedRecords = serviceSchema.table(
  'quarantined_records',
  {
    recordId: text()
      .primaryKey()
      .references(() => records.id),
    chainId: integer().notNull(),
    phase: text({ enum: quarantinePhases }).notNull(),
    /** Why the last try failed. */
    error: text().notNull(),
    failures: integer().notNull().default(1),
    restored: json().$type<RestoredPart>(),
    createdAt: instant().notNull().defaultNow(),
    retryAt: instant().notNull(),
  },
  (table) => [
    index().on(table.chainId, table.retryAt),
    oneOf('quarantined_records', 'phase', quarantinePhases),
  ],
);
