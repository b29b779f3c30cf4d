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
      'The events that webhooks carry, for receivers that were away: all of the principal, whatever its subscriptions ask for, in the order of their release, which for one agreement is that of its transitions. `pageInfo.nextCursor` is always there: keep it, and ask with `after` for what follows. A page holds no more than 4 MiB of events, and so may have fewer than `limit`; one without events ends the feed for now. No event ever appears before a cursor that was given.',
    scope: 'webhooks.read',
    params: none,
    query: z.strictObject({
      limit: pageParameters.limit,
      after: z.string().max(maxCursor).optional().openapi({
        description: "An earlier page's nextCursor; without it the feed begins with the first event.",
      }),
    }),
    body: noBody,
    data: { schema: feedEventShape, description: 'A part of the feed.', isList: true },
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
