/** A summary of measurements of one kind, in their own unit. */
export type Distribution = { n: number; min: number; p50: number; p90: number; p99: number; max: number };

/** Percentiles by the nearest rank: each is a measured value. Throws without measurements. */
export function summarise(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (share: number) => {
    const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    if (value === undefined) throw new Error('nothing was measured');
    return Math.round(value * 10) / 10;
  };
  return { n: sorted.length, min: rank(0), p50: rank(0.5), p90: rank(0.9), p99: rank(0.99), max: rank(1) };
}

export function describeDistribution({ n, min, p50, p90, p99, max }: Distribution, unit: string): string {
  const parts = Object.entries({ min, p50, p90, p99, max }).map(
    ([name, value]) => `${name} ${value} ${unit}`,
  );
  return `${parts.join('   ')}   n=${n}`;
}
