import type { BlockMark } from './indexPosition.ts';

/** The heads of one chain that this process has seen. */
export type SeenHeads = {
  /** Adds the index's head. Returns the newest seen one that then has its confirmations; undefined if there is none. */
  confirm(head: BlockMark): BlockMark | undefined;
};

/** The index has the time of its head and of blocks with events; so the times of other blocks are kept here. */
export function createSeenHeads(confirmations: number): SeenHeads {
  let heads: readonly BlockMark[] = [];
  return {
    confirm(head) {
      // No block is later than its successors: others fell out, or were never on this chain.
      const before = heads.filter(
        ({ number, timestamp }) => number < head.number && timestamp <= head.timestamp,
      );
      heads = [...before, head];
      const through = head.number - BigInt(confirmations) + 1n;
      const newest = heads.findLastIndex(({ number }) => number <= through);
      if (newest === -1) return undefined;
      heads = heads.slice(newest);
      return heads[0];
    },
  };
}
