import type pg from 'pg';

/** Data about events and deliveries for operators. */
export type EventFacts = {
  /** Events in the feeds of all principals so far. */
  readonly released: number;
  /** Deliveries that wait for their first or another attempt. */
  readonly waiting: readonly {
    readonly status: 'pending' | 'retry_pending';
    readonly count: number;
    /** How long ago the oldest of them was planned. */
    readonly oldestAgeSeconds: number;
  }[];
  /** Records whose fold has failed, by chain. */
  readonly quarantined: readonly { readonly chainId: number; readonly count: number }[];
};

const statement = `
  select (select coalesce(sum(last_position), 0)::float8 from service.event_feeds) as released,
    'pending' as status, count(*)::int as count,
    coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestAgeSeconds"
  from service.deliveries where status = 'pending'
  union all
  select null, 'retry_pending', count(*)::int, coalesce(extract(epoch from now() - min(created_at)), 0)::float8
  from service.deliveries where status = 'retry_pending'`;

const quarantineStatement = `
  select chain_id as "chainId", count(*)::int as count from service.quarantined_records group by chain_id`;

/** Reads only waiting rows. */
export async function readEventFacts(pool: pg.Pool): Promise<EventFacts> {
  const { rows } = await pool.query<EventFacts['waiting'][number] & { released: number | null }>(statement);
  const quarantined = await pool.query<EventFacts['quarantined'][number]>(quarantineStatement);
  const released = rows.find((row) => row.released !== null)?.released ?? 0;
  return {
    released,
    quarantined: quarantined.rows,
    waiting: rows.map(({ status, count, oldestAgeSeconds }) => ({ status, count, oldestAgeSeconds })),
  };
}
