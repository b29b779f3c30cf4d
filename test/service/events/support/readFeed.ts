import type pg from 'pg';
import { z } from 'zod';
import { listEvents } from '../../../../src/records/events/listEvents.ts';

const eventShape = z.strictObject({
  id: z.string().regex(/^evt_[0-9a-f]{64}$/),
  type: z.string(),
  apiVersion: z.literal('2026-06-01'),
  createdAt: z.iso.datetime({ precision: 3 }),
  data: z.strictObject({
    agreementId: z.string(),
    agreementName: z.string(),
    templateId: z.string(),
    fromState: z.string(),
    toState: z.string(),
    inputId: z.string(),
    sequence: z.int(),
  }),
});
export type FeedEvent = z.output<typeof eventShape>;

export type FeedPart = { events: FeedEvent[]; after: string };

/** All events of a principal, or the new ones since a cursor, read in pages of this size. */
export async function readFeed(
  pool: pg.Pool,
  principalId: string,
  { after, limit = 2 }: { after?: string; limit?: number } = {},
): Promise<FeedPart> {
  const events: FeedEvent[] = [];
  let cursor = after;
  for (;;) {
    const { dataText, nextCursor } = await listEvents(pool, { principalId, after: cursor, limit });
    const page = z.array(eventShape).parse(JSON.parse(dataText));
    events.push(...page);
    cursor = nextCursor;
    if (page.length < limit) return { events, after: cursor };
  }
}

/** The transitions in a feed, each as `from>to input sequence`. */
export function summarise(events: readonly FeedEvent[]): string[] {
  return events.map(({ data }) => `${data.fromState}>${data.toState} ${data.inputId} ${data.sequence}`);
}
