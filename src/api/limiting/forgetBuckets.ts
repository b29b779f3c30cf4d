import type pg from 'pg';

/** By then every bucket is full again, and a missing row counts as a full bucket. */
const keptHours = 24;
/** Few enough to hold no lock for long. */
const batchSize = 1_000;

/**
 * Deletes the buckets that nobody has used for a day, and returns the number: links, wallets and clients have
 * buckets too, and anybody can make new ones. Several processes may do so at once.
 */
export async function forgetBuckets(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  let total = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from service.rate_buckets where (principal_id, kind) in (
         select principal_id, kind from service.rate_buckets
         where updated_at <= now() - $1 * interval '1 hour' limit $2 for update skip locked)`,
      [keptHours, batchSize],
    );
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return total;
  }
}
