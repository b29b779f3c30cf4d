import type pg from 'pg';
import type { Logger } from 'pino';
import { createRepeater } from '../leases/repeater.ts';

export type DatabaseClock = {
  /** Milliseconds since 1970. */
  now(): number;
  close(): Promise<void>;
};

const measureMs = 10_000;
const notableMs = 5_000;

/**
 * The database's clock, which all workers share: receivers refuse signatures of another time, and a refusal is final.
 * This machine's own clock may be minutes off, or be set.
 *
 * @throws pg.DatabaseError if the database cannot be asked at first. Later the clock runs on by itself meanwhile.
 */
export async function followDatabaseClock(pool: pg.Pool, logger: Logger): Promise<DatabaseClock> {
  let zeroMs = 0;
  let isNoted = false;
  const now = () => zeroMs + performance.now();
  const measure = async () => {
    const before = performance.now();
    const query = 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms';
    const { rows } = await pool.query<{ ms: number }>(query);
    const middle = (before + performance.now()) / 2;
    zeroMs = (rows[0]?.ms ?? Date.now()) - middle;
    const aheadMs = Math.round(Date.now() - now());
    const isNotable = Math.abs(aheadMs) > notableMs;
    if (isNotable && !isNoted)
      logger.warn({ aheadMs }, "this machine's clock differs from the database's, which webhooks go by");
    isNoted = isNotable;
  };
  await measure();
  const repeater = createRepeater({
    what: "reading the database's clock",
    work: measure,
    pauseMs: () => measureMs,
    logger,
  });
  repeater.wake();
  return { now, close: repeater.close };
}
