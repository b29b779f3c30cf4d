import type { Flaws } from '../support/flaws.ts';
import type { FaultReport } from './runFaults.ts';
import { pointsOf } from './support/pointsOf.ts';

/** From so many kills on, no labelled place is left out by chance. */
const killsForAll = 300;

/** A report in lines for a terminal. */
export function describeReport(report: FaultReport): string {
  const { seed, kills, seconds, deployments, inputs, retries, transactions, fillers, reverted } = report;
  const unreached = listUnreached(kills);
  return [
    `${countKills(kills)} processes killed in ${seconds} s (seed ${seed}):`,
    ...Object.entries(kills).map(([place, count]) => `  ${String(count).padStart(5)}  ${place}`),
    ...(unreached.length > 0 ? [`none killed at: ${unreached.join(', ')}`] : []),
    `${deployments} deployments and ${inputs} inputs answered with success, ${retries} requests sent again`,
    `${transactions} transactions mined, ${fillers} of which only used up a nonce, ${reverted} of which reverted`,
  ].join('\n');
}

/**
 * Empty lists where nothing was lost, doubled, jammed or served otherwise than it is, nothing happened that should not, and, where
 * enough processes were killed for that, some were at each labelled place.
 */
export function listFlaws({ kills, lost, doubled, jammed, different, unexpected }: FaultReport): Flaws {
  const unreached = countKills(kills) >= killsForAll ? listUnreached(kills) : [];
  return { lost, doubled, jammed, different, unexpected, unreached };
}

function countKills(kills: FaultReport['kills']): number {
  return Object.values(kills).reduce((sum, count) => sum + count, 0);
}

/** The labelled places at which nothing was killed, named as in the report. */
function listUnreached(kills: FaultReport['kills']): string[] {
  const places = Object.entries(pointsOf).flatMap(([kind, points]) =>
    points.map((point) => `${kind} ${point}`),
  );
  return places.filter((place) => !kills[place]);
}
