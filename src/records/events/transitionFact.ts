import type { Hex } from 'viem';
import type { VariableValues } from '../../platform/database/tables/records.ts';
import type { Participant } from '../../protocol/participants.ts';

/** What is told of the record that an event is about. */
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

/** That an agreement was deployed, or that an input changed its state; its principal is to be told. */
export type TransitionFact = {
  record: AnnouncedRecord;
  eventId: string;
  /** Tells this transition apart from all others, also after a reorganisation has moved it. */
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
  /** The numbers that follow, `blockOrdersPerTransition` of them, are free for what it triggers. */
  blockOrder: number;
  /** The effective values after it. */
  variables: VariableValues;
};

/** What stands for the input where an agreement was deployed. */
export const deployInputId = '__deploy';

export const blockOrdersPerTransition = 2 ** 17;
const countedTransitions = 2 ** 13;

/**
 * The place of a transition among the events of its agreement in one block: the deployment is number 0, whenever it is folded,
 * and inputs begin with 1. So many that the last numbers are the same fit into no block.
 */
export function blockOrderOf(number: number): number {
  return Math.min(number, countedTransitions) * blockOrdersPerTransition;
}
