import type pg from 'pg';
import type { Logger } from 'pino';
import { startSweep } from '../../platform/database/startSweep.ts';

const intervalMs = 600_000;
/** Few enough to hold no lock for long. */
const batchSize = 1_000;

/** Deletes expired keys, and returns the number. Several processes may do so at once. */
export async function deleteExpiredKeys(pool: pg.Pool): Promise<number> {
  let total = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from service.idempotency_keys where (principal_id, key) in (
         select principal_id, key from service.idempotency_keys where expires_at <= now()
         limit $1 for update skip locked)`,
      [batchSize],
    );
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return total;
  }
}

/** Deletes expired keys every ten minutes until it is closed. */
export function startKeyExpiry({ pool, logger }: { pool: pg.Pool; logger: Logger }): {
  close(): Promise<void>;
} {
  return startSweep({
    sweep: () => deleteExpiredKeys(pool),
    intervalMs,
    onFailure: (error) => logger.warn({ err: error }, 'failed to delete expired idempotency keys'),
  });
}
