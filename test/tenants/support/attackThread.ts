import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { credentials } from './apiOperations.ts';
import { sendRequest } from './sendRequest.ts';

/**
 * A principal who sends requests at its rate limit, in a separate thread, so that its work does not disturb
 * the measurement. It begins with the message `begin` and ends with `end`. Then it answers with the number of
 * answers by status.
 */
const shape = z.object({
  baseUrl: z.string(),
  apiKey: z.string(),
  reads: z.object({ perSecond: z.number(), requests: z.array(z.looseObject({ path: z.string() })) }),
  writes: z.object({ perSecond: z.number(), requests: z.array(z.looseObject({ path: z.string() })) }),
});
const requestShape = z.object({
  name: z.string(),
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()).optional(),
  text: z.string().optional(),
  credential: z.enum(credentials).optional(),
  forMs: z.number().optional(),
});
/** The most concurrent requests of one kind. More would not make an attack worse, only longer. */
const mostUnderWay = 40;

const { baseUrl, apiKey, reads, writes } = shape.parse(workerData);
const statuses = new Map<number, number>();
let isUnderWay = false;

async function send({ perSecond, requests }: z.output<typeof shape>['reads']): Promise<void> {
  const prepared = requests.map((request) => requestShape.parse(request));
  const open = new Set<Promise<void>>();
  for (let at = 0; isUnderWay; at++) {
    const request = prepared[at % prepared.length];
    if (request && open.size < mostUnderWay) {
      const sent: Promise<void> = sendRequest({ baseUrl, apiKey }, request)
        .then(
          ({ status }) => void statuses.set(status, (statuses.get(status) ?? 0) + 1),
          () => void statuses.set(0, (statuses.get(0) ?? 0) + 1),
        )
        .finally(() => open.delete(sent));
      open.add(sent);
    }
    await delay(1_000 / perSecond);
  }
  await Promise.all(open);
}

parentPort?.on('message', async (message) => {
  if (message === 'end') {
    isUnderWay = false;
    return;
  }
  isUnderWay = true;
  statuses.clear();
  await Promise.all([send(reads), send(writes)]);
  parentPort?.postMessage(Object.fromEntries(statuses));
});
