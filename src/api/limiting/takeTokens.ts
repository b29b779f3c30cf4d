import type pg from 'pg';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { rateBuckets } from '../../platform/database/tables/rateBuckets.ts';

/** Separate buckets: requests that change something cost more than others. */
export const requestKinds = ['read', 'write'] as const;
export type RequestKind = (typeof requestKinds)[number];

/** A bucket of at most `burst` tokens that refills with `perSecond` tokens. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** Tokens requested: for waiting requests, and for those expected soon. */
export type Demand = { readonly needed: number; readonly ahead: number };

/**
 * `granted` is the requested number, or if tokens are short only part of `needed`; `left` is what the bucket
 * then holds.
 */
export type Taken = RowAs<typeof rateBuckets, { readonly granted: 'granted'; readonly left: 'tokens' }>;

const refilled = `least($3::float8, bucket.tokens
  + $4::float8 * greatest(0, extract(epoch from excluded.updated_at - bucket.updated_at)::float8))`;
const granted = `case when ${refilled} >= $5::int + $6::int then $5::int + $6::int
  else least($5::int, floor(${refilled}))::int end`;

/**
 * Processes wait for each other at the row, and meanwhile another one's clock reading can become newer. So
 * time does not go back, unless the clock itself was set back.
 */
const statement = `
  insert into service.rate_buckets as bucket (principal_id, kind, tokens, granted, updated_at)
  values ($1, $2, $3::float8 - least($5::int, floor($3::float8)), least($5::int, floor($3::float8)), clock_timestamp())
  on conflict (principal_id, kind) do update set
    granted = ${granted},
    tokens = ${refilled} - (${granted}),
    updated_at = case when bucket.updated_at > excluded.updated_at
        and bucket.updated_at < excluded.updated_at + interval '5 seconds'
      then bucket.updated_at else excluded.updated_at end
  returning granted, tokens as left`;

/**
 * Takes tokens from the bucket shared by all API processes; tokens ahead only if there are enough for
 * everybody.
 */
export async function takeTokens(
  pool: pg.Pool,
  options: { principalId: string; kind: RequestKind; rate: Rate } & Demand,
): Promise<Taken> {
  const { principalId, kind, rate, needed, ahead } = options;
  const values = [principalId, kind, rate.burst, rate.perSecond, needed, ahead];
  const [taken] = await runPrepared<Taken>(pool, statement, values);
  if (!taken) throw new Error('the rate limit bucket of a principal has no row');
  return taken;
}
