import type pg from 'pg';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { holdSpans } from '../../platform/tracing/heldSpans.ts';
import { releaseFirings } from '../notifier/releaseFirings.ts';
import { releaseEvents } from '../publisher/releaseEvents.ts';
import { type Fold, type FoldOptions, fold } from './fold.ts';
import { withFoldTransaction } from './withFoldTransaction.ts';

/**
 * Folds a chain once and releases the events that then have their confirmations. Returns `undefined` if
 * another process is folding. If it fails in between, the events wait for the next fold with new blocks.
 */
export function foldChain({
  pool,
  isExclusive,
  ...options
}: FoldOptions & { pool: pg.Pool; isExclusive: boolean }): Promise<Fold | undefined> {
  const { chainId } = options;
  let spans: { end(): void } | undefined;
  return withFoldTransaction(
    { pool, chainId, isExclusive },
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
        return async (transaction) => {
          await releaseEvents(transaction, { chainId, through });
          await releaseFirings(transaction, { chainId, through });
          faultPoint('beforeReleaseCommit');
        };
      },
    },
  );
}
