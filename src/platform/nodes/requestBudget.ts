/** Calls per second from this process to an endpoint; unused ones are kept for one second. */
export type RequestBudget = {
  /** Takes a call if one is available now. */
  take(): boolean;
  /** Reserves a future call, and returns the milliseconds until it is available. */
  reserve(): number;
  /** Milliseconds that a reservation would wait now. */
  waitMs(): number;
};

/** A budget of `perSecond` calls; unlimited without a number. */
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
