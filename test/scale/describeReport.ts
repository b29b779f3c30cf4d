import type { Flaws } from '../support/flaws.ts';
import type { ScaleReport } from './runScale.ts';

export function describeReport(report: ScaleReport): string {
  const { seed, seconds, replaced, deployments, inputs, reads, served, connections } = report;
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, count]) => `  ${String(count).padStart(6)}  ${name}`);
  return [
    `${replaced} processes replaced in ${seconds} s (seed ${seed})`,
    `${deployments} deployments, ${inputs} inputs and ${reads} reads answered, by`,
    ...list(served),
    'connections to the database at most:',
    ...list(connections),
  ].join('\n');
}

/**
 * The lists are empty if every request was served, and its effect is on the chain and was announced exactly
 * once.
 */
export function listFlaws({ flaws }: ScaleReport): Flaws {
  return flaws;
}
