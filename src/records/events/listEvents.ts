import type pg from 'pg';
import { type FeedRequest, readFeed } from './readFeed.ts';

/**
 * A part of a feed: the envelopes as a JSON array, the cursor of what follows, which is there even before anything does, and how
 * many events there are where the part is all of them.
 */
export type FeedPage = {
  readonly dataText: string;
  readonly nextCursor: string;
  readonly totalCount: number | undefined;
};

/**
 * The released events of a principal after a cursor, in the order in which they were released. No event ever appears before a
 * cursor that was given already: who goes on from the last cursor gets every event once.
 *
 * @throws MalformedError for a cursor of another principal, and for one that lies ahead of the feed or points at another event than
 * when it was given, as after a database was restored: what was told since then is told anew, under the same ids.
 */
export async function listEvents(pool: pg.Pool, request: FeedRequest): Promise<FeedPage> {
  const { events, nextCursor, isEnd } = await readFeed(pool, request);
  const bodies = events.map(({ body }) => body);
  const totalCount = request.after === undefined && isEnd ? bodies.length : undefined;
  return { dataText: `[${bodies.join(',')}]`, nextCursor, totalCount };
}
