import type pg from 'pg';
import { deleteExpired } from '../../platform/database/deleteExpired.ts';

/**
 * Deletes the buckets that nobody has used for a day, and returns the number: links, wallets and clients have
 * buckets too, and anybody can make new ones. Several processes may do so at once.
 */
export function forgetBuckets(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  return deleteExpired(pool, {
    table: 'service.rate_buckets',
    key: 'principal_id, kind',
    // By then every bucket is full again, and a missing row counts as a full bucket.
    condition: `updated_at <= now() - interval '24 hours'`,
  });
}
