import { isLive, type Slot } from './readSlots.ts';

/**
 * A wallet's correct counter: the first nonce that neither the chain nor a transaction under way uses. It
 * rises if somebody else sends with the same key. It falls if the nonces above are neither wanted nor
 * possibly held by a node: they would be a gap in which everything signed later gets stuck.
 */
export function planCounter(
  { minedCount, pendingCount, nextNonce }: { minedCount: number; pendingCount: number; nextNonce: number },
  slots: readonly Slot[],
): number {
  const floor = Math.max(minedCount, pendingCount);
  // A nonce whose bytes are final cannot become free: this is another chain than before, and nobody holds what
  // was sent to the former one. A permit that became final by other bytes says nothing about the nonce.
  if (slots.some(({ row }) => row?.state === 'final' && row.isShownHere)) return floor;
  const wanted = slots.findLast(isLive);
  const held = slots.findLast(({ nonce, attempt }) => nonce < nextNonce && attempt.acceptedMs !== undefined);
  return Math.max(floor, after(wanted), after(held));
}

function after(slot: Slot | undefined): number {
  return slot ? slot.nonce + 1 : 0;
}

/** The first few nonces below `end` for which nothing is signed. */
export function findGaps(
  { minedCount, end }: { minedCount: number; end: number },
  slots: readonly Slot[],
): number[] {
  const signed = new Set(slots.map(({ nonce }) => nonce));
  const gaps: number[] = [];
  for (let nonce = minedCount; nonce < end && gaps.length < gapsAtOnce; nonce++)
    if (!signed.has(nonce)) gaps.push(nonce);
  return gaps;
}

const gapsAtOnce = 32;
