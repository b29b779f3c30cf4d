import type { IndexPosition } from './indexPosition.ts';

const daySeconds = 86_400n;

/**
 * What is older may have been announced before, by events that were removed since: only a block that is folded for the first time
 * is announced at any age. Unix seconds; undefined if all events are kept. Counts back from the chain's head, because local
 * chains may have any time, but never from a head in the future.
 */
export function findAnnouncedSince(
  { head, now }: Pick<IndexPosition, 'head' | 'now'>,
  keptDays: number | null,
): bigint | undefined {
  if (!head || keptDays === null) return undefined;
  return (head.timestamp < now ? head.timestamp : now) - BigInt(keptDays) * daySeconds;
}

/** Whether no earlier fold of its record has announced this block, or kept it silent. */
export function isFirstFold(
  { announcedThrough }: { announcedThrough: bigint | null },
  blockNumber: bigint,
): boolean {
  return announcedThrough === null || blockNumber > announcedThrough;
}
