import { sql } from 'drizzle-orm';

/** Why the transaction `sent` failed; select it as `failure`. */
export const failureOf = sql`coalesce(sent.failure, json_build_object('reason', 'failed',
  'message', 'The transaction failed.')) as failure`;

/** The latest second in JavaScript. */
const lastSecond = 8_640_000_000_000n;

/** Unix seconds for `to_timestamp`; a chain may claim any time, which must not cause an error. */
export function secondsOf(timestamp: bigint): string {
  return String(timestamp > lastSecond ? lastSecond : timestamp);
}
