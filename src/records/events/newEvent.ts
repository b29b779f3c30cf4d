import type { Hex } from 'viem';
import type { EventType } from '../../platform/database/tables/events.ts';
import type { EventParts } from './eventParts.ts';

/** Something that one principal is to be told, as it is stored before it is released. */
export type NewEvent = {
  /** Made of what is announced by `EventIds`: the same thing has the same id for ever. */
  id: string;
  principalId: string;
  recordId: string;
  type: EventType;
  /** The envelope as `writeEnvelope` makes it: whole, or up to the parts that it has in common with others. */
  body: string;
  parts?: EventParts | null;
  chainId: number;
  /** The block with whose confirmations it is released; null, like the transaction, where none caused it. */
  blockNumber: bigint | null;
  txHash: Hex | null;
  /** The order among the events of its agreement in this block. */
  blockOrder: number;
};
