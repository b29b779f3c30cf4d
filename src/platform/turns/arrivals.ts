/** Whether requests are arriving at this process, so that long work leaves them the event loop. */
export type Arrivals = {
  note(): void;
  /** Whether one arrived in the last 100 ms. */
  areRecent(): boolean;
};

const recentMs = 100;

export function createArrivals(now: () => number = () => performance.now()): Arrivals {
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    note() {
      lastAt = now();
    },
    areRecent: () => now() - lastAt < recentMs,
  };
}
