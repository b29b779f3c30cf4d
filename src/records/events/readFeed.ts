import type pg from 'pg';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { EventType, eventFeeds, events } from '../../platform/database/tables/events.ts';
import { buildIndexRange } from '../../platform/lists/indexRange.ts';
import { joinedParts, wholeBody, wholeBodyBytes } from './eventParts.ts';
import { markEvent, parseFeedCursor, refuseCursor, refuseExpired, writeFeedCursor } from './feedCursor.ts';

export type FeedRequest = {
  readonly principalId: string;
  /** The cursor of an earlier page; the feed from its beginning without one. */
  readonly after?: string | undefined;
  readonly limit: number;
  /**
   * The limit in UTF-8 bytes of the envelopes; at least one event is returned if there is one. Default: a
   * page's limit.
   */
  readonly mostBytes?: number;
};

/** An event with the cursor after it. */
export type FeedEvent = { readonly type: EventType; readonly body: string; readonly cursor: string };

export type FeedPart = {
  readonly events: readonly FeedEvent[];
  readonly nextCursor: string;
  /** Whether nothing follows at the moment. */
  readonly isEnd: boolean;
};

/** The entries of the index after a position, up to the last released event. */
const entriesOfFeed = buildIndexRange({
  key: 'principal_id',
  value: 'asked.principal_id',
  column: 'position',
  lowest: '$2::bigint',
  position: { columns: ['position'], values: ['$2::bigint'] },
  bounds: [{ operator: '<=', value: 'feed.last_position' }],
  direction: 'asc',
});

const pageBytes = 4 * 1024 * 1024;

/** `seen_id` is the event at the cursor. */
type Row = RowOf<typeof eventFeeds, 'last_position' | 'expired_through'> &
  OrNull<RowOf<typeof events, 'position' | 'id' | 'type' | 'body'> & RowAs<typeof events, { seen_id: 'id' }>>;

/**
 * A principal's released events after a cursor, each with its own cursor.
 *
 * @throws MalformedError for a cursor of another principal, and for one that lies ahead of the feed or points at another event than
 * when it was given.
 * @throws RefusedError `cursor_expired` if events after the cursor are no longer kept.
 */
export async function readFeed(pool: pg.Pool, request: FeedRequest): Promise<FeedPart> {
  const { principalId, after, limit, mostBytes = pageBytes } = request;
  const cursor = after === undefined ? { position: 0, mark: null } : parseFeedCursor(after, principalId);
  const start = cursor.position;
  // The limit is a literal in the statement, because without it the database plans for a tenth of all rows.
  const rows = await runPrepared<Row>(
    pool,
    `select coalesce(feed.last_position, 0) as last_position,
      coalesce(feed.expired_through, 0) as expired_through, seen.id as seen_id, page.position, page.id, page.type, page.body
    from (values ($1::text)) as asked(principal_id)
    left join service.event_feeds feed on feed.principal_id = asked.principal_id
    left join service.events seen on seen.principal_id = $1 and seen.position = $2
    left join lateral (
      select event.position, event.id, event.type, ${wholeBody} as body from (
        select next.*, sum(bytes) over (order by position) as through from (
          select event.*, ${wholeBodyBytes} as bytes from (
            select * from service.events
            where ${entriesOfFeed.join(' and ')}
            order by principal_id, position limit ${Math.trunc(limit)}
          ) as event ${joinedParts}
        ) as next
      ) as event ${joinedParts}
      where through = bytes or through <= ${Math.trunc(mostBytes)}
    ) as page on true
    order by page.position`,
    [principalId, start],
  );
  const end = Number(rows[0]?.last_position ?? 0);
  const expired = Number(rows[0]?.expired_through ?? 0);
  if (start > end) throw refuseCursor('is ahead of the feed; start again without it');
  if (after !== undefined && start < expired) throw refuseExpired();
  const seenId = rows[0]?.seen_id ?? undefined;
  if (cursor.mark !== null && seenId !== undefined && markEvent(seenId) !== cursor.mark)
    throw refuseCursor('no longer matches the feed; start again without it');
  const events = rows.flatMap(({ position, id, type, body }) => {
    if (position === null || id === null || type === null || body === null) return [];
    const place = { principalId, position: Number(position), eventId: id };
    return [{ type, body, cursor: writeFeedCursor(place), position: place.position }];
  });
  const last = events.at(-1);
  if (last) return { events, nextCursor: last.cursor, isEnd: last.position === end };
  // A feed without its first events begins after them.
  const position = Math.max(start, expired);
  const eventId = position === start ? seenId : undefined;
  const nextCursor = writeFeedCursor({ principalId, position, eventId });
  return { events, nextCursor, isEnd: position === end };
}
