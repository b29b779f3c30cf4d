import type { Hex } from 'viem';

/** A transaction of which the index shows that its permit's nonce is used up, and by what. */
export type Candidate = {
  id: string;
  isOpen: boolean;
  contentHash: Hex;
  /** Unix seconds. */
  deadline: bigint;
  /** Verifying contract, signer and nonce: one text per nonce. */
  permit: string;
  /** Its content is null where the index cannot read it: then nobody can say whose effect it is. */
  effect: { contentHash: Hex | null; transactionHash: Hex; blockNumber: bigint; blockTimestamp: bigint };
};

export type Settlement = { mined: Candidate[]; superseded: Candidate[] };

/**
 * Decides which permits had their effect. Per nonce there is one effect; it belongs to the transaction with the same content,
 * whoever sent it, but never to one whose deadline had passed by then. Of several such the open one counts, else the first
 * given. Every other open one can never happen any more; a failed one stays as it is.
 */
export function settlePermits(candidates: readonly Candidate[]): Settlement {
  const settlement: Settlement = { mined: [], superseded: [] };
  for (const ofNonce of Map.groupBy(candidates, ({ permit }) => permit).values()) {
    const fitting = ofNonce.filter(
      ({ contentHash, deadline, effect }) =>
        contentHash === effect.contentHash && effect.blockTimestamp <= deadline,
    );
    const winner = fitting.find(({ isOpen }) => isOpen) ?? fitting[0];
    if (winner) settlement.mined.push(winner);
    settlement.superseded.push(...ofNonce.filter((candidate) => candidate.isOpen && candidate !== winner));
  }
  return settlement;
}
