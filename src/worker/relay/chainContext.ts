import type { Address } from 'viem';
import type { ChainParts } from './chainParts.ts';
import type { ClaimTurns } from './claimTurns.ts';
import type { Seat } from './seat.ts';

/** What the relay of one chain works with: what its parts share, and its wallets. */
export type ChainContext = ChainParts & {
  /** Those with a key, and those that are seen through without one. */
  readonly seats: Map<Address, Seat>;
  /** Of the principals whose transactions wait. */
  readonly turns: ClaimTurns;
};

export function heldSeats({ seats }: ChainContext): Seat[] {
  return [...seats.values()].filter(({ wallet }) => wallet.isHeld);
}
