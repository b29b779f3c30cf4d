import type { FaultReport } from './runFaults.ts';

const shown = 10;

/** Whether nothing was lost, doubled, jammed or served otherwise than it is, and nothing happened that should not. */
export function isFlawless(report: FaultReport): boolean {
  return listFlaws(report).every(([, flaws]) => flaws.length === 0);
}

/** A report in lines for a terminal. */
export function describeReport(report: FaultReport): string {
  const { seed, kills, seconds, deployments, inputs, retries, transactions, fillers, reverted } = report;
  const total = Object.values(kills).reduce((sum, count) => sum + count, 0);
  const lines = [
    `${total} processes killed in ${seconds} s (seed ${seed}):`,
    ...Object.entries(kills).map(([place, count]) => `  ${String(count).padStart(5)}  ${place}`),
    `${deployments} deployments and ${inputs} inputs answered with success, ${retries} requests sent again`,
    `${transactions} transactions mined, ${fillers} of which only used up a nonce, ${reverted} of which reverted`,
    listFlaws(report)
      .map(([kind, flaws]) => `${flaws.length} ${kind}`)
      .join(', '),
  ];
  for (const [kind, flaws] of listFlaws(report)) {
    for (const flaw of flaws.slice(0, shown)) lines.push(`  ${kind}: ${flaw}`);
    if (flaws.length > shown) lines.push(`  ${kind}: and ${flaws.length - shown} more`);
  }
  return lines.join('\n');
}

function listFlaws({ lost, doubled, jammed, different, unexpected }: FaultReport): [string, string[]][] {
  return Object.entries({ lost, doubled, jammed, different, unexpected });
}
