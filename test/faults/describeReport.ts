import type { Flaws } from '../support/flaws.ts';
import type { FaultReport } from './runFaults.ts';
import type { ScenarioReport } from './runScenarios.ts';
import { pointsOf } from './support/pointsOf.ts';

/** With this many kills, chance alone leaves out no fault point. */
const killsForAll = 300;

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

export function describeScenarios(report: ScenarioReport): string {
  const { seed, played, inputs, refusals, races, transactions, fillers, reverted, seconds } = report;
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || 'none';
  return [
    `${played.length} scenarios in ${seconds} s (seed ${seed}): ${list(countAll(played))}`,
    `${inputs} inputs answered with success, ${refusals} requests refused`,
    `${transactions} transactions mined, ${fillers} of which only used up a nonce, ${reverted} of which reverted`,
    `admitted inputs that reverted, by the race that explains it: ${list(races)}`,
  ].join('\n');
}

/**
 * The lists are empty if nothing was lost, doubled, jammed, served wrongly or unexpected, and if each fault
 * point had a kill. The last condition counts only after enough kills.
 */
export function listFlaws({ kills, lost, doubled, jammed, different, unexpected }: FaultReport): Flaws {
  const unreached = countKills(kills) >= killsForAll ? listUnreached(kills) : [];
  return { lost, doubled, jammed, different, unexpected, unreached };
}

/** Counts equal items. */
export function countAll(things: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const thing of things) counts[thing] = (counts[thing] ?? 0) + 1;
  return counts;
}

function countKills(kills: FaultReport['kills']): number {
  return Object.values(kills).reduce((sum, count) => sum + count, 0);
}

/** The fault points without a kill, named as in the report. */
function listUnreached(kills: FaultReport['kills']): string[] {
  const places = Object.entries(pointsOf).flatMap(([kind, points]) =>
    points.map((point) => `${kind} ${point}`),
  );
  return places.filter((place) => !kills[place]);
}
