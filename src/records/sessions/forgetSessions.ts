import type pg from 'pg';

/** How long expired sessions and links remain for look-ups. */
const keptDays = 30;
/** Few enough to hold no lock for long. */
const batchSize = 1_000;

/**
 * Deletes sessions and links that expired a month ago, and returns the number. Several processes may do so at
 * once.
 */
export async function forgetSessions(pool: pg.Pool): Promise<number> {
  let total = 0;
  for (const table of [
    'service.sessions',
    'service.portal_links',
    'service.signing_links',
    'service.wallet_sessions',
    'service.wallet_challenges',
  ]) {
    for (;;) {
      const { rowCount } = await pool.query(
        `delete from ${table} where id in (
           select id from ${table} where expires_at <= now() - $1 * interval '1 day'
           limit $2 for update skip locked)`,
        [table === 'service.wallet_challenges' ? 0 : keptDays, batchSize],
      );
      total += rowCount ?? 0;
      if ((rowCount ?? 0) < batchSize) break;
    }
  }
  return total;
}
