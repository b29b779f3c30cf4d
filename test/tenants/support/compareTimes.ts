import type { Times } from './neighbour.ts';

/** The slow-down during a disturbance. */
export type Factor = {
  readonly kind: Kind;
  readonly quietMs: number;
  readonly disturbedMs: number;
  /** The slow-down of a server that has nothing to do with the service; at least 1. */
  readonly machineFactor: number;
  /** The slow-down without the machine's part. */
  readonly factor: number;
};

/** A quiet period, and a disturbed period right after it. */
export type Round = {
  readonly quiet: Times;
  readonly disturbed: Times;
  /** How many times as long as usual the machine computes; at least 1. */
  readonly slowness: number;
};

type Kind = 'reads' | 'writes' | 'webhooks';
const kinds = ['reads', 'writes', 'webhooks'] as const satisfies readonly Kind[];

/** The largest allowed factor of a neighbour's times. */
export const mostFactors: Readonly<Record<Kind, number>> = { reads: 3, writes: 5, webhooks: 5 };

/**
 * Shorter times cannot be told apart on a machine with other work. A neighbour that gets its answer within
 * them notices nothing, whatever the factor. On a machine that computes more slowly they are longer.
 */
const noiseMs: Readonly<Record<Kind, number>> = { reads: 15, writes: 40, webhooks: 200 };
const controlNoiseMs = 10;

/** The 99th percentile. Of fewer than a hundred times, it is the longest one. */
export function findP99(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.99) - 1)] ?? Number.POSITIVE_INFINITY;
}

/**
 * The factors over all rounds. The median of the rounds counts: other work on the machine affects single
 * rounds, but the disturbance affects all of them.
 */
export function compareTimes(rounds: readonly Round[]): Factor[] {
  return kinds.map((kind) => {
    const factors = rounds.map(({ quiet, disturbed, slowness }) => {
      const [quietMs, disturbedMs] = [findP99(quiet[kind]), findP99(disturbed[kind])];
      const slower = findP99(disturbed.control) / Math.max(findP99(quiet.control), controlNoiseMs);
      const machineFactor = Math.max(1, slower);
      const factor = disturbedMs / Math.max(quietMs, noiseMs[kind] * slowness) / machineFactor;
      return { kind, quietMs, disturbedMs, machineFactor, factor };
    });
    const sorted = factors.toSorted((one, other) => one.factor - other.factor);
    const median = sorted[Math.floor((sorted.length - 1) / 2)];
    if (!median) throw new Error('there was no round');
    return median;
  });
}

/** The factors above the limits, in words. */
export function listDelays(factors: readonly Factor[]): string[] {
  return factors
    .filter(({ kind, factor }) => !(factor < mostFactors[kind]))
    .map(
      ({ kind, quietMs, disturbedMs, machineFactor, factor }) =>
        `${kind}: ${disturbedMs.toFixed(0)} ms instead of ${quietMs.toFixed(0)} ms, ${factor.toFixed(1)} times as long beside ${machineFactor.toFixed(1)} times of the machine`,
    );
}
