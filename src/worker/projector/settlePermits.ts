import type { Hex } from 'viem';

/** A transaction whose permit's nonce is used up in the index, and by what. */
export type Candidate = {
  id: string;
  isOpen: boolean;
  contentHash: Hex;
  /** Unix seconds. */
  deadline: bigint;
  /** Verifying contract, signer and nonce: one text per nonce. */
  permit: string;
  /** The content is null if the index cannot read it: then nobody knows whose effect it is. */
  effect: { contentHash: Hex | null; transactionHash: Hex; blockNumber: bigint; blockTimestamp: bigint };
};

export type Settlement = { mined: Candidate[]; superseded: Candidate[] };

/**
 * Decides which permits took effect. Each nonce has one effect. It belongs to the transaction with the same content,
 * whoever sent it, but never to one whose deadline had passed. Of several candidates the open one counts, otherwise the
 * first. No other open transaction can take effect any more; a failed one stays unchanged.
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
