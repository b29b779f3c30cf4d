import type { Queryable } from '../../platform/database/database.ts';
import { releaseMails } from '../notifier/releaseMails.ts';
import { releaseEvents } from '../publisher/releaseEvents.ts';

type Due = { chainId: number; through: bigint };

/** After a batch there may be more to release (`more`), only events in locked feeds (`busy`), or nothing (`finished`). */
export type ReleaseProgress = 'more' | 'busy' | 'finished';

type Batch = {
  readonly next: string | undefined;
  readonly isMore: boolean;
  /** Whether it has released anything. */
  readonly isUseful: boolean;
};

/** Releases a chain's confirmed events and mails, in rounds over the principals: each call releases a batch of both. */
export function createReleases(due: Due): (transaction: Queryable) => Promise<ReleaseProgress> {
  const releaseSomeEvents = createRounds(async (transaction, after) => {
    const { released, next, unfinished } = await releaseEvents(transaction, { ...due, after });
    return { next, isMore: unfinished.length > 0, isUseful: released > 0 };
  });
  const releaseSomeMails = createRounds(async (transaction, after) => {
    const { released, next, isMore } = await releaseMails(transaction, { ...due, after });
    return { next, isMore, isUseful: released > 0 };
  });
  return async (transaction) => {
    const both = [await releaseSomeEvents(transaction), await releaseSomeMails(transaction)];
    return (['more', 'busy'] as const).find((progress) => both.includes(progress)) ?? 'finished';
  };
}

/** Each call takes the next batch of a round. */
function createRounds(
  takeBatch: (transaction: Queryable, after: string | undefined) => Promise<Batch>,
): (transaction: Queryable) => Promise<ReleaseProgress> {
  let after: string | undefined;
  let isMore = false;
  let isUseful = false;
  return async (transaction) => {
    const batch = await takeBatch(transaction, after);
    after = batch.next;
    isMore ||= batch.isMore;
    isUseful ||= batch.isUseful;
    if (after !== undefined) return 'more';
    const progress = !isMore ? 'finished' : isUseful ? 'more' : 'busy';
    [isMore, isUseful] = [false, false];
    return progress;
  };
}
