import type { Queryable } from '../../platform/database/database.ts';
import { releaseMails } from '../notifier/releaseMails.ts';
import { releaseEvents } from '../publisher/releaseEvents.ts';

type Due = { chainId: number; through: bigint };
type Batch = { readonly next: string | undefined; readonly isMore: boolean };

/**
 * Releases a chain's confirmed events and mails, in rounds over the principals: each call releases a batch of both, and
 * returns whether none is left.
 */
export function createReleases(due: Due): (transaction: Queryable) => Promise<boolean> {
  const releaseSomeEvents = createRounds(async (transaction, after) => {
    const { next, unfinished } = await releaseEvents(transaction, { ...due, after });
    return { next, isMore: unfinished.length > 0 };
  });
  const releaseSomeMails = createRounds((transaction, after) => releaseMails(transaction, { ...due, after }));
  return async (transaction) => {
    const areEventsReleased = await releaseSomeEvents(transaction);
    return (await releaseSomeMails(transaction)) && areEventsReleased;
  };
}

/** Each call takes the next batch of a round, and returns whether a whole round has left nothing. */
function createRounds(
  takeBatch: (transaction: Queryable, after: string | undefined) => Promise<Batch>,
): (transaction: Queryable) => Promise<boolean> {
  let after: string | undefined;
  let isMore = false;
  return async (transaction) => {
    const batch = await takeBatch(transaction, after);
    const isFinished = batch.next === undefined && !isMore && !batch.isMore;
    isMore = batch.next !== undefined && (isMore || batch.isMore);
    after = batch.next;
    return isFinished;
  };
}
