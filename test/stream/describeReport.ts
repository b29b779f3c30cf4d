import type { Flaws } from '../support/flaws.ts';
import type { StreamReport } from './runStream.ts';

const megabyte = 1_000_000;
/** The work under way differs from one moment to the next, and so does its memory. */
const slackBytes = 12 * megabyte;

export function describeReport({ listeners, events, cuts, seconds, resident, heap }: StreamReport): string {
  const show = (bytes: number) => `${(bytes / megabyte).toFixed(0)} MB`;
  const perSecond = ((listeners * events) / seconds).toFixed(0);
  return [
    `${listeners} listeners received ${events} events each in ${seconds.toFixed(1)} s (${perSecond} a second); one was cut ${cuts} times`,
    `heap of the API after a collection: ${show(heap.followed)} with all listeners, ${show(heap.early)} after a quarter of the events, ${show(heap.late)} at the end`,
    `resident: ${show(resident.alone)} alone, ${show(resident.followed)} with all listeners, ${show(resident.end)} at the end`,
  ].join('\n');
}

export function listFlaws({ heap, faults }: StreamReport): Flaws {
  const growth = heap.late - heap.early;
  return {
    'events missing or received twice': faults,
    'growth of memory': growth > slackBytes ? [`${(growth / megabyte).toFixed(0)} MB`] : [],
  };
}
