import type pg from 'pg';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { writeFeedCursor } from './feedCursor.ts';

/** The cursor before all events released from now on. */
export async function findFeedEnd(pool: pg.Pool, principalId: string): Promise<string> {
  const [end] = await runPrepared<{ position: string; id: string | null }>(
    pool,
    `select feed.last_position as position, event.id from service.event_feeds feed
    left join service.events event on event.principal_id = feed.principal_id and event.position = feed.last_position
    where feed.principal_id = $1`,
    [principalId],
  );
  const position = Number(end?.position ?? 0);
  return writeFeedCursor({ principalId, position, eventId: end?.id ?? undefined });
}
