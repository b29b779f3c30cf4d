import type pg from 'pg';
import { type FeedRequest, readFeed } from './readFeed.ts';

/**
 * Part of a feed: the envelopes as a JSON array, the cursor for the next part (even if nothing follows yet), and
 * the number of events if the part holds all of them.
 */
export type FeedPage = {
  readonly dataText: string;
  readonly nextCursor: string;
  readonly totalCount: number | undefined;
};

/**
 * A principal's released events after a cursor, in the order of release. No event ever appears before a
 * cursor already returned, so reading on from the last cursor gives every event once.
 *
 * @throws MalformedError for a cursor of another principal, and for one that lies ahead of the feed or points at
 * another event than when it was given. This happens after the database was restored from a backup: events since the
 * backup are sent again under the same ids.
 */
export async function listEvents(pool: pg.Pool, request: FeedRequest): Promise<FeedPage> {
  const { events, nextCursor, isEnd } = await readFeed(pool, request);
  const bodies = events.map(({ body }) => body);
  const totalCount = request.after === undefined && isEnd ? bodies.length : undefined;
  return { dataText: `[${bodies.join(',')}]`, nextCursor, totalCount };
}
