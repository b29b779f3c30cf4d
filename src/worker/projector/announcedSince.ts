import type { BlockMark } from './indexPosition.ts';

const daySeconds = 86_400n;

/**
 * Blocks before this time are not announced; Unix seconds, undefined if all are announced. Events of earlier blocks may
 * have been removed, so nothing would show that they were announced. Counts back from the chain's head, because local
 * chains may have any time, but never from a head in the future.
 */
export function findAnnouncedSince({
  head,
  keptDays,
}: {
  head: BlockMark | null;
  keptDays: number | null;
}): bigint | undefined {
  if (!head || keptDays === null) return undefined;
  const now = BigInt(Math.floor(Date.now() / 1_000));
  return (head.timestamp < now ? head.timestamp : now) - BigInt(keptDays) * daySeconds;
}
