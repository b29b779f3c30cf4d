import type pg from 'pg';
import { runPrepared } from '../database/runPrepared.ts';
import { markEvent, parseFeedCursor, refuseCursor, writeFeedCursor } from './feedCursor.ts';

export type FeedRequest = {
  readonly principalId: string;
  /** The cursor of an earlier page; the feed from its beginning without one. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/**
 * A part of a feed: the envelopes as a JSON array, the cursor of what follows, which is there even before anything does, and how
 * many events there are where the part is all of them.
 */
export type FeedPage = {
  readonly dataText: string;
  readonly nextCursor: string;
  readonly totalCount: number | undefined;
};

type Row = {
  last_position: string;
  /** The event that the cursor points at. */
  seen_id: string | null;
  position: string | null;
  id: string | null;
  body: string | null;
};

/**
 * The released events of a principal after a cursor, in the order in which they were released. No event ever appears before a
 * cursor that was given already: who goes on from the last cursor gets every event once.
 *
 * @throws MalformedError for a cursor of another principal, and for one that lies ahead of the feed or points at another event than
 * when it was given, as after a database was restored: what was told since then is told anew, under the same ids.
 */
export async function listEvents(
  pool: pg.Pool,
  { principalId, after, limit }: FeedRequest,
): Promise<FeedPage> {
  const cursor = after === undefined ? { position: 0, mark: null } : parseFeedCursor(after, principalId);
  const start = cursor.position;
  // The number stands in the statement, as the database plans without it for a tenth of all rows.
  const rows = await runPrepared<Row>(
    pool,
    `select coalesce(feed.last_position, 0) as last_position, seen.id as seen_id, page.position, page.id, page.body
    from (values ($1::text)) as asked(principal_id)
    left join service.event_feeds feed on feed.principal_id = asked.principal_id
    left join service.events seen on seen.principal_id = $1 and seen.position = $2
    left join lateral (
      select position, id, body from service.events
      where principal_id = asked.principal_id and position > $2
      order by position limit ${Math.trunc(limit)}
    ) as page on true
    order by page.position`,
    [principalId, start],
  );
  const end = Number(rows[0]?.last_position ?? 0);
  if (start > end) throw refuseCursor('lies ahead of the feed: begin anew');
  const seenId = rows[0]?.seen_id ?? undefined;
  if (cursor.mark !== null && seenId !== undefined && markEvent(seenId) !== cursor.mark)
    throw refuseCursor('points at another event than when it was given: begin anew');
  const bodies = rows.flatMap(({ body }) => (body === null ? [] : [body]));
  const last = rows.at(-1);
  const position = Number(last?.position ?? start);
  const nextCursor = writeFeedCursor({ principalId, position, eventId: last?.id ?? seenId });
  const totalCount = after === undefined && position === end ? bodies.length : undefined;
  return { dataText: `[${bodies.join(',')}]`, nextCursor, totalCount };
}
