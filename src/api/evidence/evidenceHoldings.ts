import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import type { CollectedEvidence } from './collectedEvidence.ts';

/** Bounds the memory of the collected histories that wait to be sent, are sent or are printed, for each turn. */
export type EvidenceHoldings = {
  /**
   * Holds a history until the returned function is called. Requests that joined one collection share it, and it
   * counts once. A single one fits, whatever its size.
   *
   * @throws RateLimitedError if this turn would hold too much.
   */
  hold(collected: CollectedEvidence, turn: string): () => void;
  /** Whether this turn refused a history in the last seconds, so that slow readers should make room. */
  isShort(turn: string): boolean;
};

/** Of a principal; its guests have as much. The longest history of usual inputs takes some 20 MB. */
const usualMostBytes = 32 * 1024 * 1024;
/** The index's row of a step, its place in the file and its permit, with some room. */
const stepBytes = 2_000;
const retryAfterSeconds = 5;
/** A refused client has time to come again. */
const shortMs = 3_000 * retryAfterSeconds;

type Held = { readonly counts: Map<CollectedEvidence, number>; refusedAt: number };

export function createEvidenceHoldings({
  mostBytes = usualMostBytes,
  now = () => performance.now(),
}: {
  mostBytes?: number;
  now?: () => number;
} = {}): EvidenceHoldings {
  const turns = new Map<string, Held>();
  return {
    hold(collected, turn) {
      const held = turns.get(turn) ?? { counts: new Map<CollectedEvidence, number>(), refusedAt: -Infinity };
      const { counts } = held;
      const others = [...counts.keys()].filter((other) => other !== collected);
      const bytes = others.map(measureHeld).reduce((sum, one) => sum + one, measureHeld(collected));
      if (others.length > 0 && bytes > mostBytes) {
        held.refusedAt = now();
        throw new RateLimitedError('Too many long files of evidence are being read.', { retryAfterSeconds });
      }
      turns.set(turn, held);
      counts.set(collected, (counts.get(collected) ?? 0) + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (counts.get(collected) ?? 0) - 1;
        if (left > 0) counts.set(collected, left);
        else counts.delete(collected);
        if (counts.size === 0) turns.delete(turn);
      };
    },
    isShort: (turn) => now() - (turns.get(turn)?.refusedAt ?? -Infinity) < shortMs,
  };
}

/** Bytes of memory, about. */
function measureHeld({ record, blocks, steps, state }: CollectedEvidence): number {
  const ofBlocks = blocks.reduce((sum, block) => sum + block.length, 0);
  const ofState = (state?.storage ?? [])
    .flatMap(({ proof }) => proof)
    .reduce((sum, node) => sum + node.length, 0);
  return 2 * record.document.length + ofBlocks + stepBytes * steps.length + ofState;
}
