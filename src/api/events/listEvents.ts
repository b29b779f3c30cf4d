import type pg from 'pg';
import { runPrepared } from '../database/runPrepared.ts';
import { parseFeedCursor, refuseCursor, writeFeedCursor } from './feedCursor.ts';

export type FeedRequest = {
  readonly principalId: string;
  /** The cursor of an earlier page; the feed from its beginning without one. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** A part of a feed: the envelopes as a JSON array, and the cursor of what follows, which is there even before anything does. */
export type FeedPage = { readonly dataText: string; readonly nextCursor: string };

type Row = { last_position: string; position: string | null; body: string | null };

/**
 * The released events of a principal after a cursor, in the order in which they were released. No event ever appears before a
 * cursor that was given already: who goes on from the last cursor gets every event once.
 *
 * @throws MalformedError for a cursor of another principal, or one that lies ahead of the feed, as after a database was restored:
 * what was told since then is told anew, under the same ids.
 */
export async function listEvents(
  pool: pg.Pool,
  { principalId, after, limit }: FeedRequest,
): Promise<FeedPage> {
  const start = after === undefined ? 0 : parseFeedCursor(after, principalId);
  // The number stands in the statement, as the database plans without it for a tenth of all rows.
  const rows = await runPrepared<Row>(
    pool,
    `select coalesce(feed.last_position, 0) as last_position, page.position, page.body
    from (values ($1::text)) as asked(principal_id)
    left join service.event_feeds feed on feed.principal_id = asked.principal_id
    left join lateral (
      select position, body from service.events
      where principal_id = asked.principal_id and position > $2
      order by position limit ${Math.trunc(limit)}
    ) as page on true
    order by page.position`,
    [principalId, start],
  );
  if (start > Number(rows[0]?.last_position ?? 0)) throw refuseCursor('lies ahead of the feed: begin anew');
  const bodies = rows.flatMap(({ body }) => (body === null ? [] : [body]));
  const position = Number(rows.at(-1)?.position ?? start);
  return { dataText: `[${bodies.join(',')}]`, nextCursor: writeFeedCursor({ principalId, position }) };
}
