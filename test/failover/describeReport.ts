import { describeRecovery, type FailoverReport } from './runFailover.ts';
import type { WritersReport } from './runWriters.ts';

export function describeReport(report: FailoverReport): string {
  const { seed, seconds, failovers, deployments, inputs, retries, events, toldAgain, restarts } = report;
  const counts = new Map<string, number>();
  for (const restart of restarts) counts.set(restart, (counts.get(restart) ?? 0) + 1);
  return [
    `${failovers.length} primaries killed in ${seconds} s (seed ${seed}):`,
    ...failovers.map((failover, at) => describeRecovery(at + 1, failover)),
    `${deployments} deployments and ${inputs} inputs answered with success, ${retries} requests sent again`,
    `${events} events received, ${toldAgain} of them a second time by the same id`,
    ...[...counts].map(([restart, count]) => `${count} times: ${restart}`),
  ].join('\n');
}

/** A report in lines for a terminal about the sessions that wrote into the index. */
export function describeWriters({ disturbance, turns, ends }: WritersReport): string {
  return [
    `${disturbance}: ${turns.length} writers, one after the other: ${turns.join(', ')}`,
    ...ends.map((end) => `  ${end}`),
  ].join('\n');
}
