import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { type Admission, createLeasedBucket, type LeasedBucket } from './leasedBucket.ts';
import { type Rate, type RequestKind, takeTokens } from './takeTokens.ts';

export type Rates = Readonly<Record<RequestKind, Rate>>;

export type RateLimiter = {
  /** Counts a request of a principal. */
  admit(principalId: string, kind: RequestKind): Promise<Admission>;
};

/** More principals than are active at once; only bounds the memory. */
const rememberedBuckets = 10_000;

/** Limits each principal's call rate, over all API processes of one database together. */
export function createRateLimiter({ pool, rates }: { pool: pg.Pool; rates: Rates }): RateLimiter {
  const buckets = new LRUCache<string, LeasedBucket>({ max: rememberedBuckets });

  const openBucket = (name: string, principalId: string, kind: RequestKind) => {
    const rate = rates[kind];
    const bucket = createLeasedBucket({
      rate,
      take: (demand) => takeTokens(pool, { principalId, kind, rate, ...demand }),
    });
    buckets.set(name, bucket);
    return bucket;
  };

  return {
    admit(principalId, kind) {
      const name = `${kind} ${principalId}`;
      const bucket = buckets.get(name) ?? openBucket(name, principalId, kind);
      return bucket.admit();
    },
  };
}
