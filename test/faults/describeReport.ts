import type { Flaws } from '../support/flaws.ts';
import type { FaultReport } from './runFaults.ts';

/** A report in lines for a terminal. */
export function describeReport(report: FaultReport): string {
  const { seed, kills, seconds, deployments, inputs, retries, transactions, fillers, reverted } = report;
  const total = Object.values(kills).reduce((sum, count) => sum + count, 0);
  return [
    `${total} processes killed in ${seconds} s (seed ${seed}):`,
    ...Object.entries(kills).map(([place, count]) => `  ${String(count).padStart(5)}  ${place}`),
    `${deployments} deployments and ${inputs} inputs answered with success, ${retries} requests sent again`,
    `${transactions} transactions mined, ${fillers} of which only used up a nonce, ${reverted} of which reverted`,
  ].join('\n');
}

/** Empty lists where nothing was lost, doubled, jammed or served otherwise than it is, and nothing happened that should not. */
export function listFlaws({ lost, doubled, jammed, different, unexpected }: FaultReport): Flaws {
  return { lost, doubled, jammed, different, unexpected };
}
