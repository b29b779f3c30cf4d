import type pg from 'pg';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { eventFeeds, events } from '../../platform/database/tables/events.ts';
import { writeFeedCursor } from './feedCursor.ts';

type Row = RowAs<typeof eventFeeds, { position: 'last_position' }> & OrNull<RowOf<typeof events, 'id'>>;

/** The cursor before all events released from now on. */
export async function findFeedEnd(pool: pg.Pool, principalId: string): Promise<string> {
  const [end] = await runPrepared<Row>(
    pool,
    `select feed.last_position as position, event.id from service.event_feeds feed
    left join service.events event on event.principal_id = feed.principal_id and event.position = feed.last_position
    where feed.principal_id = $1`,
    [principalId],
  );
  const position = Number(end?.position ?? 0);
  return writeFeedCursor({ principalId, position, eventId: end?.id ?? undefined });
}
