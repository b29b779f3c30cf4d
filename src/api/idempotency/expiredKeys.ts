import type pg from 'pg';
import { deleteExpired } from '../../platform/database/deleteExpired.ts';

/** Deletes expired keys, and returns the number. Several processes may do so at once. */
export function deleteExpiredKeys(pool: pg.Pool): Promise<number> {
  return deleteExpired(pool, {
    table: 'service.idempotency_keys',
    key: 'principal_id, key',
    condition: 'expires_at <= now()',
  });
}
