import type { Flaws } from '../support/flaws.ts';
import type { ExactlyOnceReport } from './runExactlyOnce.ts';

export function describeReport(report: ExactlyOnceReport): string {
  const { seed, seconds, kills, interruptions, transitions, events, attempts, withdrawn } = report;
  const killed = Object.values(kills).reduce((sum, count) => sum + count, 0);
  const places = Object.entries(kills).map(([place, count]) => `${count} ${place}`);
  return [
    `${transitions} transitions on three chains in ${seconds} s (seed ${seed})`,
    `${killed} workers killed: ${places.join(', ')}`,
    ...interruptions.map((interruption) => `  ${interruption}`),
    `${events} events in the feed, deployments included; ${withdrawn} withdrawn for good before their confirmations`,
    `${attempts} attempts of delivery, every eighth event refused at first`,
  ].join('\n');
}

/**
 * The lists are empty if every transition of the final chains was announced once and delivered, and nothing
 * else was.
 */
export function listFlaws({ findings, crashes }: ExactlyOnceReport): Flaws {
  return { ...findings, crashes };
}
