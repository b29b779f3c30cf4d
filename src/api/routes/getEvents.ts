import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { listEvents } from '../../records/events/listEvents.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondPage } from '../shapes/envelopes.ts';
import { feedEventShape } from '../shapes/eventShapes.ts';
import { pageParameters } from '../shapes/listParameters.ts';

const maxCursor = 400;

export function listEventsEndpoint({ reads }: Services): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/events',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'Read the feed of events',
    description:
      'Returns the same events as webhooks, for receivers that were offline. It contains all events of the principal, regardless of subscriptions, in order of release. Events of one agreement are in the order of its transitions. `pageInfo.nextCursor` is always present: store it and send it as `after` to get the events that follow. A page holds at most 4 MiB and may have fewer events than `limit`. An empty page means that there are no newer events yet. Events are never inserted before a cursor that was already returned.',
    scope: 'webhooks.read',
    params: none,
    query: z.strictObject({
      limit: pageParameters.limit,
      after: z.string().max(maxCursor).optional().openapi({
        description: '`nextCursor` of an earlier page. Without it, the feed starts at the first event.',
      }),
    }),
    body: noBody,
    data: { schema: feedEventShape, description: 'A page of the feed.', isList: true },
    refusals: [400],
    reasons: ['cursor_expired'],
    example: { query: { limit: 50 } },
    async handle({ query, caller: { principalId }, requestId, readAfter }) {
      const { limit, after } = query;
      const { dataText, ...page } = await reads.run(readAfter, (pool) =>
        listEvents(pool, { principalId, after, limit }),
      );
      return respondPage({ requestId, dataText, pageInfo: { limit, ...page } });
    },
  });
}
