import type { Hex } from 'viem';
import type { EvidenceSource } from './evidenceSource.ts';
import { type ProofOwner, readProved, type StoredProof } from './proofStore.ts';
import { BlockGoneError } from './proveBlock.ts';
import { readBatched } from './readBatched.ts';

/**
 * The owner's proofs of transactions, in the requested order, a few at a time.
 *
 * @throws BlockGoneError if one is not kept.
 */
export function readInOrder(
  { pool, allowance }: EvidenceSource,
  owner: ProofOwner,
  places: readonly { blockHash: Hex; transactionHash: Hex }[],
): AsyncGenerator<StoredProof> {
  const read = async (at: number, count: number) => {
    const some = places.slice(at, at + count);
    const found = new Map((await readProved(pool, owner, some)).map((one) => [one.transactionHash, one]));
    return some.map(({ transactionHash }) => {
      const stored = found.get(transactionHash);
      if (!stored) throw new BlockGoneError();
      return stored;
    });
  };
  return readBatched({ total: places.length, read, lengthOf: ({ entry }) => entry.length, allowance });
}
