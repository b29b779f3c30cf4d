import type { Hex, PublicClient } from 'viem';
import { type Call, findRevert } from '../../platform/nodes/simulateCall.ts';
import { findNodeAnswer } from '../../platform/nodes/unavailable.ts';
import { type IndexHead, isOnChain } from './indexHead.ts';
import { type PermitPlace, readPermitTurn } from './permitTurn.ts';

/** What the contract says of a row in the state after one block. */
export type Judgement = {
  readonly turn: 'used' | 'now' | 'later' | 'unknown';
  /** The revert of its call; undefined if it succeeds. */
  readonly revert: { readonly data: Hex | undefined } | undefined;
};

/**
 * Asks the contract about a row in the state after the last folded block. That state has the effects of all
 * rows that are mined; the newest block of a lagging node may lack them. Undefined if the node's chain does
 * not have the block, or the node does not have its state.
 *
 * @throws BaseError if no endpoint answers.
 */
export async function judgeRow(
  client: PublicClient,
  { place, call, head }: { place: PermitPlace; call: Call; head: IndexHead },
): Promise<Judgement | undefined> {
  if (!(await isOnChain(client, head))) return undefined;
  try {
    const [turn, revert] = await Promise.all([
      readPermitTurn(client, place, head),
      findRevert(client, call, { blockHash: head.hash }),
    ]);
    return { turn, revert };
  } catch (error) {
    if (findNodeAnswer(error)) return undefined;
    throw error;
  }
}
