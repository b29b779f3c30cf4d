import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { textOf } from './sendRequest.ts';
import type { WorstRequest } from './worstRequests.ts';

const countsShape = z.record(z.string(), z.number());

/** The attacker's number of answers by status; 0 for no answer. */
export type Attacked = z.output<typeof countsShape>;

/** A hostile principal at its rate limit. The caller closes it. */
export function createAttacker(options: {
  baseUrl: string;
  apiKey: string;
  requests: readonly WorstRequest[];
  readsPerSecond: number;
  writesPerSecond: number;
}) {
  const { requests, readsPerSecond, writesPerSecond, baseUrl, apiKey } = options;
  const prepared = requests.map((request) => ({ ...request, body: undefined, text: textOf(request) }));
  const isRead = ({ method }: WorstRequest) => method === 'GET';
  const worker = new Worker(new URL('attackThread.ts', import.meta.url), {
    workerData: {
      baseUrl,
      apiKey,
      reads: { perSecond: readsPerSecond, requests: prepared.filter(isRead) },
      writes: { perSecond: writesPerSecond, requests: prepared.filter((request) => !isRead(request)) },
    },
  });
  return {
    begin: () => worker.postMessage('begin'),
    async end(): Promise<Attacked> {
      const answered = once(worker, 'message');
      worker.postMessage('end');
      const [counts] = await answered;
      return countsShape.parse(counts);
    },
    close: () => worker.terminate(),
  };
}
