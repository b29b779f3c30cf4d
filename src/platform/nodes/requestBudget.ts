/** How many calls an endpoint gets in a second, of this process; what was not used is kept for one second. */
export type RequestBudget = {
  /** Takes a call out of it where one is left now. */
  take(): boolean;
  /** Takes one out of what is to come, and returns after how many milliseconds it is there. */
  reserve(): number;
  /** Milliseconds that a reservation would have to wait now. */
  waitMs(): number;
};

/** A budget of `perSecond` calls; without a number it never ends. */
export function createRequestBudget(
  perSecond: number | undefined,
  clock: () => number = () => performance.now(),
): RequestBudget {
  if (perSecond === undefined) return { take: () => true, reserve: () => 0, waitMs: () => 0 };
  let left = perSecond;
  let countedAt = clock();
  const count = () => {
    const now = clock();
    left = Math.min(perSecond, left + ((now - countedAt) / 1_000) * perSecond);
    countedAt = now;
  };
  const waitMs = () => {
    count();
    return left >= 1 ? 0 : ((1 - left) / perSecond) * 1_000;
  };
  return {
    take() {
      if (waitMs() > 0) return false;
      left--;
      return true;
    },
    reserve() {
      const afterMs = waitMs();
      left--;
      return afterMs;
    },
    waitMs,
  };
}
