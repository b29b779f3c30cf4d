import type { ExactlyOnceReport } from './runExactlyOnce.ts';

const shown = 10;

/** Whether every transition of the final chains was told once and delivered, and nothing else was. */
export function isFlawless(report: ExactlyOnceReport): boolean {
  return listFlaws(report).every(([, flaws]) => flaws.length === 0);
}

/** A report in lines for a terminal. */
export function describeReport(report: ExactlyOnceReport): string {
  const { seed, seconds, kills, interruptions, transitions, events, attempts, withdrawn } = report;
  const killed = Object.values(kills).reduce((sum, count) => sum + count, 0);
  const places = Object.entries(kills).map(([place, count]) => `${count} ${place}`);
  const lines = [
    `${transitions} transitions on three chains in ${seconds} s (seed ${seed})`,
    `${killed} workers killed: ${places.join(', ')}`,
    ...interruptions.map((interruption) => `  ${interruption}`),
    `${events} events in the feed, deployments included; ${withdrawn} withdrawn for good before their confirmations`,
    `${attempts} attempts of delivery, every eighth event refused at first`,
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

function listFlaws({ findings, crashes }: ExactlyOnceReport): [string, string[]][] {
  return Object.entries({ ...findings, crashes });
}
