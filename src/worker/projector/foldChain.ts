import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { holdSpans } from '../../platform/tracing/heldSpans.ts';
import { type Fold, type FoldOptions, fold } from './fold.ts';
import { createReleases, type ReleaseProgress } from './releaseRounds.ts';
import { withFoldTransaction } from './withFoldTransaction.ts';

/** A fold releases for this long at most; the rest follows after the next fold. */
const releaseMs = 1_000;
/** The pause before another try if others have locked the feeds of all remaining principals. */
const busyPauseMs = 100;

/**
 * Folds a chain once and releases the events that then have their confirmations. Returns `undefined` if
 * another process is folding. If it fails in between, the events wait for the next fold with new blocks.
 */
export async function foldChain({
  pool,
  isGated,
  isExclusive,
  ...options
}: FoldOptions & { pool: pg.Pool; isGated: boolean; isExclusive: boolean }): Promise<Fold | undefined> {
  const { chainId } = options;
  let spans: { end(): void } | undefined;
  let progress: ReleaseProgress = 'finished';
  const folding = withFoldTransaction(
    { pool, chainId, isGated, isExclusive },
    {
      fold(transaction) {
        spans = holdSpans(transaction);
        return fold(transaction, options);
      },
      follow(result) {
        spans?.end();
        if (result.kind !== 'folded') return null;
        faultPoint('afterFoldCommit');
        const { releasable: through } = result;
        if (through === null) return null;
        const release = createReleases({ chainId, through });
        const endsAt = performance.now() + releaseMs;
        return async (transaction) => {
          progress = await release(transaction);
          faultPoint('beforeReleaseCommit');
          return progress === 'more' && performance.now() < endsAt;
        };
      },
    },
  );
  const result = await folding;
  if (result?.kind !== 'folded' || progress === 'finished') return result;
  if (progress === 'busy') await delay(busyPauseMs);
  return { ...result, isComplete: false };
}
