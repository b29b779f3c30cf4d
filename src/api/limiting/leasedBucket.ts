import type { Demand, Rate, Taken } from './takeTokens.ts';

/** Whether a request may go on, and the bucket's data for the caller. */
export type Admission = {
  readonly isAdmitted: boolean;
  /** How many more would be admitted now, as far as this process knows. */
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetSeconds: number;
  /** How long to wait before another try can succeed; 0 for an admitted request. */
  readonly retryAfterSeconds: number;
};

export type LeasedBucket = {
  /** @throws what `take` throws. */
  admit(): Promise<Admission>;
};

/** How long tokens taken ahead may be used. */
const leaseMs = 100;

/**
 * While tokens taken ahead from a full bucket are unused, the bucket refills, and both could be used at once.
 * So only this share of a full bucket is taken ahead.
 */
const aheadOfFull = 0.01;

/**
 * A process's part of a shared bucket. A request takes a token from the current lease, or waits for one
 * database query that serves all waiting requests. The busier the process, the more tokens are taken ahead,
 * so that many requests cost one query. Tokens unused in time are lost. However many processes there are, no
 * span of n seconds sees more than `burst + (n + 0.1) * perSecond` requests, because no token is used more
 * than 0.1 seconds after it was counted. A burst after a pause is fully admitted.
 */
export function createLeasedBucket({
  rate,
  take,
}: {
  rate: Rate;
  take(demand: Demand): Promise<Taken>;
}): LeasedBucket {
  const mostAhead = Math.ceil((rate.perSecond * leaseMs) / 1000);
  let leased = 0;
  let held = 0;
  let leaseStart = Number.NEGATIVE_INFINITY;
  let level = rate.burst;
  let levelAt = 0;
  let emptyUntil = 0;
  let waiting: PromiseWithResolvers<boolean>[] = [];
  let isTaking = false;

  const settle = (count: number, isAdmitted: boolean) => {
    for (const { resolve } of waiting.splice(0, count)) resolve(isAdmitted);
  };

  /** The most that the bucket can hold: others may have taken from it since it was last read. */
  const estimate = (now: number) => Math.min(rate.burst, level + ((now - levelAt) / 1000) * rate.perSecond);

  const predict = (needed: number, now: number) => {
    const sinceLease = now - leaseStart;
    const recent = sinceLease < 2 * leaseMs ? leased - held : 0;
    const expected = sinceLease < leaseMs ? 2 * leased + needed : recent;
    const isFull = estimate(now) - needed > rate.burst - 2 * mostAhead;
    return Math.min(expected, isFull ? Math.floor(rate.burst * aheadOfFull) : mostAhead);
  };

  const takeOnce = async () => {
    const needed = waiting.length;
    const askedAt = performance.now();
    const { granted, left } = await take({ needed, ahead: predict(needed, askedAt) });
    level = left;
    levelAt = performance.now();
    leased = Math.max(0, granted - needed);
    held = leased;
    leaseStart = askedAt;
    settle(Math.min(needed, granted), true);
    if (granted < needed) {
      emptyUntil = levelAt + ((1 - left) / rate.perSecond) * 1000;
      settle(waiting.length, false);
      return;
    }
    // Requests that arrived during the query.
    const late = Math.min(held, waiting.length);
    held -= late;
    settle(late, true);
  };

  const takeForAll = async () => {
    isTaking = true;
    try {
      while (waiting.length > 0) await takeOnce();
    } catch (error) {
      const failed = waiting;
      waiting = [];
      for (const { reject } of failed) reject(error);
    } finally {
      isTaking = false;
    }
  };

  const describe = (isAdmitted: boolean): Admission => {
    const now = performance.now();
    const usable = now < leaseStart + leaseMs ? held : 0;
    const tokens = Math.min(rate.burst, estimate(now) + usable);
    return {
      isAdmitted,
      remaining: isAdmitted ? Math.floor(tokens) : 0,
      resetSeconds: Math.ceil((rate.burst - tokens) / rate.perSecond),
      retryAfterSeconds: isAdmitted ? 0 : Math.max(1, Math.ceil((emptyUntil - now) / 1000)),
    };
  };

  return {
    async admit() {
      const now = performance.now();
      if (now < emptyUntil) return describe(false);
      if (held > 0 && now < leaseStart + leaseMs) {
        held--;
        return describe(true);
      }
      const token = Promise.withResolvers<boolean>();
      waiting.push(token);
      if (!isTaking) void takeForAll();
      return describe(await token.promise);
    },
  };
}
