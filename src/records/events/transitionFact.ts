import type { Hex } from 'viem';
import type { VariableValues } from '../../platform/database/tables/records.ts';
import type { Participant } from '../../protocol/participants.ts';

export type AnnouncedRecord = {
  id: string;
  principalId: string;
  chainId: number;
  displayName: string;
  templateId: string;
  participants: readonly Participant[];
  observers: readonly string[];
  /** The JSON text of the rules; null for none. */
  notificationTemplate: string | null;
};

/** A deployment, or an input that changed the state, to announce to its principal. */
export type TransitionFact = {
  record: AnnouncedRecord;
  eventId: string;
  /** A unique name of this transition, even if a reorg moves it. */
  transactionIdentity: string;
  /** Empty for the deployment. */
  fromState: string;
  toState: string;
  /** `__deploy` for the deployment. */
  inputId: string;
  /** The number of the transition in its agreement; 0 for the deployment. */
  sequence: number;
  txHash: Hex;
  blockNumber: bigint;
  /** Unix seconds. */
  blockTimestamp: bigint;
  /** The first of `blockOrdersPerTransition` numbers: for its own event, then for the events that it triggers. */
  blockOrder: number;
  /** The effective values after it. */
  variables: VariableValues;
  /** The values of its input, by field; empty for the deployment. */
  submitted: VariableValues;
  /** Whether no rule fires for it. */
  isSilent: boolean;
};

export const deployInputId = '__deploy';

export const blockOrdersPerTransition = 2 ** 17;
const countedTransitions = 2 ** 13;

/**
 * The order of a transition among its agreement's events in one block: the deployment is number 0, whenever
 * it is folded, and inputs begin with 1. Numbers beyond the last one are equal, but no block has room for so many.
 */
export function blockOrderOf(number: number): number {
  return Math.min(number, countedTransitions) * blockOrdersPerTransition;
}
