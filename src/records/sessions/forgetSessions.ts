import type pg from 'pg';

/** How long expired and revoked sessions and links remain for look-ups. */
const keptDays = 1;
/** Few enough to hold no lock for long. */
const batchSize = 1_000;

/**
 * Deletes sessions and links that ended a day ago, and returns the number. Several processes may do so at once.
 *
 * @throws the first failure, after it has tried all tables.
 */
export async function forgetSessions(pool: pg.Pool): Promise<number> {
  const forget = (table: string, days: number) => () => forgetExpired(pool, { table, days });
  const failures: unknown[] = [];
  let total = 0;
  for (const sweep of [
    forget('service.sessions', keptDays),
    forget('service.portal_links', keptDays),
    () => forgetSigningLinks(pool),
    forget('service.wallet_sessions', keptDays),
    forget('service.wallet_challenges', 0),
  ])
    total += await sweep().catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
  if (failures.length > 0) throw failures[0];
  return total;
}

function forgetExpired(pool: pg.Pool, { table, days }: { table: string; days: number }): Promise<number> {
  return inBatches(async () => {
    const { rowCount } = await pool.query(
      `delete from ${table} where id in (
         select id from ${table} where expires_at <= now() - $1 * interval '1 day'
         limit $2 for update skip locked)`,
      [days, batchSize],
    );
    return rowCount ?? 0;
  });
}

/** The uses of a link go before it: the foreign key would delete all of them in one statement. */
function forgetSigningLinks(pool: pg.Pool): Promise<number> {
  return inBatches(async () => {
    const { rows } = await pool.query<{ id: string }>(
      `select id from service.signing_links where expires_at <= now() - $1 * interval '1 day'
       order by expires_at limit $2`,
      [keptDays, batchSize],
    );
    const ids = rows.map(({ id }) => id);
    await inBatches(async () => {
      const { rowCount } = await pool.query(
        `delete from service.signing_link_uses where id in (
           select id from service.signing_link_uses where link_id = any($1) limit $2 for update skip locked)`,
        [ids, batchSize],
      );
      return rowCount ?? 0;
    });
    const { rowCount } = await pool.query(
      `delete from service.signing_links where id in (
         select id from service.signing_links where id = any($1) for update skip locked)`,
      [ids],
    );
    return rowCount ?? 0;
  });
}

/** Repeats `step` until it finds less than a batch, and returns the sum. */
async function inBatches(step: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const count = await step();
    total += count;
    if (count < batchSize) return total;
  }
}
