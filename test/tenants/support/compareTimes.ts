import type { Times } from './neighbour.ts';

/** How much longer something takes beside a disturbance. */
export type Factor = {
  readonly kind: Kind;
  readonly quietMs: number;
  readonly disturbedMs: number;
  /** How much longer a server took that has nothing to do with the service; at least 1. */
  readonly machineFactor: number;
  /** Without what the machine explains. */
  readonly factor: number;
};

/** A quiet time, and one with a disturbance right after it. */
export type Round = { readonly quiet: Times; readonly disturbed: Times };

type Kind = 'reads' | 'writes' | 'webhooks';
const kinds = ['reads', 'writes', 'webhooks'] as const satisfies readonly Kind[];

/** What a neighbour's own time may be multiplied with at most. */
export const mostFactors: Readonly<Record<Kind, number>> = { reads: 3, writes: 5, webhooks: 5 };

/**
 * A machine with other work does not tell shorter times from each other: a neighbour that is answered within them has not noticed
 * anything, whatever the factor.
 */
const noiseMs: Readonly<Record<Kind, number>> = { reads: 15, writes: 40, webhooks: 200 };
const controlNoiseMs = 10;

/** The 99th of a hundred times; of fewer the longest but for one in a hundred. */
export function findP99(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.99) - 1)] ?? Number.POSITIVE_INFINITY;
}

/**
 * The factors of rounds. Of the rounds the median counts: what else the machine does falls into one round or another, what the
 * disturbance does into all.
 */
export function compareTimes(rounds: readonly Round[]): Factor[] {
  return kinds.map((kind) => {
    const factors = rounds.map(({ quiet, disturbed }) => {
      const [quietMs, disturbedMs] = [findP99(quiet[kind]), findP99(disturbed[kind])];
      const slower = findP99(disturbed.control) / Math.max(findP99(quiet.control), controlNoiseMs);
      const machineFactor = Math.max(1, slower);
      const factor = disturbedMs / Math.max(quietMs, noiseMs[kind]) / machineFactor;
      return { kind, quietMs, disturbedMs, machineFactor, factor };
    });
    const sorted = factors.toSorted((one, other) => one.factor - other.factor);
    const median = sorted[Math.floor((sorted.length - 1) / 2)];
    if (!median) throw new Error('there was no round');
    return median;
  });
}

/** The factors that are too large, in words. */
export function listDelays(factors: readonly Factor[]): string[] {
  return factors
    .filter(({ kind, factor }) => !(factor < mostFactors[kind]))
    .map(
      ({ kind, quietMs, disturbedMs, machineFactor, factor }) =>
        `${kind}: ${disturbedMs.toFixed(0)} ms instead of ${quietMs.toFixed(0)} ms, ${factor.toFixed(1)} times as long beside ${machineFactor.toFixed(1)} times of the machine`,
    );
}
