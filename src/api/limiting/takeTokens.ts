import type pg from 'pg';
import { runPrepared } from '../../platform/database/runPrepared.ts';

/** What is counted apart: requests that change something cost more than those that do not. */
export const requestKinds = ['read', 'write'] as const;
export type RequestKind = (typeof requestKinds)[number];

/** A bucket of at most `burst` tokens into which `perSecond` tokens flow. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** How many tokens are asked for: for requests that wait now, and for such as will probably come soon. */
export type Demand = { readonly needed: number; readonly ahead: number };

/** `granted` is what was asked for, or for lack of tokens only a part of `needed`; `left` is what the bucket holds then. */
export type Taken = { readonly granted: number; readonly left: number };

const refilled = `least($3::float8, bucket.tokens
  + $4::float8 * greatest(0, extract(epoch from excluded.updated_at - bucket.updated_at)::float8))`;
const granted = `case when ${refilled} >= $5::int + $6::int then $5::int + $6::int
  else least($5::int, floor(${refilled}))::int end`;

/**
 * Takers wait for each other at the row, in which time the first one's clock reading can be overtaken; so time does not go back,
 * unless the clock itself was set back.
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

/** Takes tokens out of the bucket that all API processes share; for what is taken ahead only where there is enough for all. */
export async function takeTokens(
  pool: pg.Pool,
  options: { principalId: string; kind: RequestKind; rate: Rate } & Demand,
): Promise<Taken> {
  const { principalId, kind, rate, needed, ahead } = options;
  const values = [principalId, kind, rate.burst, rate.perSecond, needed, ahead];
  const [taken] = await runPrepared<Taken>(pool, statement, values);
  if (!taken) throw new Error('The bucket of a principal has no row.');
  return taken;
}
