import type { Address } from 'viem';
import type { ChainParts } from './chainParts.ts';
import type { ClaimTurns } from './claimTurns.ts';
import type { Seat } from './seat.ts';

/** The context of one chain's relay: its shared parts and its wallets. */
export type ChainContext = ChainParts & {
  /** Wallets with a key, and wallets without one whose transactions are followed to their end. */
  readonly seats: Map<Address, Seat>;
  /** The order of turns over principals with waiting transactions. */
  readonly turns: ClaimTurns;
};

export function heldSeats({ seats }: ChainContext): Seat[] {
  return [...seats.values()].filter(({ wallet }) => wallet.isHeld);
}
