import type { ScaleReport } from './runScale.ts';

const shown = 10;

/** Whether every request was served and all of it is on the chain and was told, once. */
export function isFlawless({ flaws }: ScaleReport): boolean {
  return Object.values(flaws).every((list) => list.length === 0);
}

/** A report in lines for a terminal. */
export function describeReport(report: ScaleReport): string {
  const { seed, seconds, replaced, deployments, inputs, reads, served, connections, flaws } = report;
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, count]) => `  ${String(count).padStart(6)}  ${name}`);
  const lines = [
    `${replaced} processes replaced in ${seconds} s (seed ${seed})`,
    `${deployments} deployments, ${inputs} inputs and ${reads} reads answered, by`,
    ...list(served),
    'connections to the database at most:',
    ...list(connections),
    Object.entries(flaws)
      .map(([kind, found]) => `${found.length} ${kind}`)
      .join(', '),
  ];
  for (const [kind, found] of Object.entries(flaws)) {
    for (const flaw of found.slice(0, shown)) lines.push(`  ${kind}: ${flaw}`);
    if (found.length > shown) lines.push(`  ${kind}: and ${found.length - shown} more`);
  }
  return lines.join('\n');
}
