import { setTimeout as delay } from 'node:timers/promises';

/** Limits the rate of one kind of work in a process, whatever the number of those who do it. */
export type Allowance = {
  /** Resolves as soon as everything spent so far, including this amount, has been earned. In order of calls. */
  spend(amount: number): Promise<void>;
};

/** @param burst what can be spent at once after a long pause. */
export function createAllowance({ perSecond, burst }: { perSecond: number; burst: number }): Allowance {
  const toMs = (amount: number) => (amount * 1_000) / perSecond;
  let earnedAt = 0;
  return {
    async spend(amount) {
      const now = performance.now();
      earnedAt = Math.max(earnedAt, now - toMs(burst)) + toMs(amount);
      if (earnedAt > now) await delay(earnedAt - now);
    },
  };
}
