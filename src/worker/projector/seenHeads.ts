import type { BlockMark } from './indexPosition.ts';

/** The heads of one chain that this process has seen. */
export type SeenHeads = {
  /** Adds the index's head. Returns the newest seen head that now has its confirmations; undefined if there is none. */
  confirm(head: BlockMark): BlockMark | undefined;
};

/** The index has the times of its head and of blocks with events only, so the times of earlier heads are kept here. */
export function createSeenHeads(confirmations: number): SeenHeads {
  let heads: readonly BlockMark[] = [];
  return {
    confirm(head) {
      // Heads with this number or a higher one, or with a later time, fell out or were never on this chain.
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
