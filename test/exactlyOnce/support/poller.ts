import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

export const toldShape = z.object({
  id: z.string(),
  type: z.literal('agreement.transitioned'),
  data: z.object({
    agreementId: z.string(),
    fromState: z.string(),
    toState: z.string(),
    inputId: z.string(),
    sequence: z.int(),
  }),
});
/** One event in the feed's form. */
export type Told = z.output<typeof toldShape> & { text: string };

const pageShape = z.object({
  data: z.array(z.unknown()),
  pageInfo: z.object({ nextCursor: z.string() }),
});

const pauseMs = 100;
const limit = 20;

/** A program that polls the feed for new events, and keeps its last cursor and all events. */
export function startPoller({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  const told: Told[] = [];
  let isStopped = false;
  let after: string | undefined;

  const poll = async (): Promise<number> => {
    const query = after === undefined ? '' : `&after=${after}`;
    const response = await fetch(`${baseUrl}/v0/events?limit=${limit}${query}`, {
      headers: { 'x-api-key': apiKey },
    });
    if (!response.ok) throw new Error(`the feed answered ${response.status}: ${await response.text()}`);
    const { data, pageInfo } = pageShape.parse(await response.json());
    told.push(...data.map((event) => ({ ...toldShape.parse(event), text: JSON.stringify(event) })));
    after = pageInfo.nextCursor;
    return data.length;
  };
  const run = async () => {
    while (!isStopped) if ((await poll()) < limit) await delay(pauseMs);
  };
  const running = run();
  // The caller of `stop` gets the failure.
  running.catch(() => {});
  return {
    told,
    /** Reads the remaining events and ends. @throws Error for an invalid answer. */
    async stop(): Promise<void> {
      isStopped = true;
      await running;
      while ((await poll()) === limit);
    },
  };
}
