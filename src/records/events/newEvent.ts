import type { Hex } from 'viem';
import type { EventType } from '../../platform/database/tables/events.ts';
import type { EventParts } from './eventParts.ts';

/** An event for one principal, as stored before its release. */
export type NewEvent = {
  /** Derived from the content by `EventIds`: the same event always has the same id. */
  id: string;
  principalId: string;
  recordId: string;
  type: EventType;
  /** The envelope from `writeEnvelope`: whole, or up to the shared parts. */
  body: string;
  parts?: EventParts | null;
  chainId: number;
  /** The block whose confirmations release it; null, like the transaction, if no transaction caused it. */
  blockNumber: bigint | null;
  txHash: Hex | null;
  /** The order among its agreement's events in this block. */
  blockOrder: number;
};
