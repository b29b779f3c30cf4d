import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { findFeedEnd } from '../../records/events/findFeedEnd.ts';
import { readFeed } from '../../records/events/readFeed.ts';
import { type Authenticator, authorize } from '../authentication/authenticator.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { chooseStart, type EventStreams, maxCursor } from '../streams/eventStreams.ts';

const scope = 'webhooks.read';
const present = 'now';

export function getEventStream(
  { pool }: Services,
  { authenticator, streams }: { authenticator: Authenticator; streams: EventStreams },
): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/events/stream',
    operationId: 'streamEvents',
    tag: 'Events',
    summary: 'Follow the feed of events',
    description:
      'Streams the feed of `GET /v0/events` as server-sent events: first the events after the cursor, then each new event when it is released. The id of each message is a cursor. To resume without gaps or repeats, send the last id in `Last-Event-ID` or as `after`. An idle stream gets a comment every 15 seconds. A client that reads nothing for 30 seconds is disconnected. The stream ends when the API key or session ends.',
    scope,
    params: none,
    query: z.strictObject({
      after: z.string().max(maxCursor).optional().openapi({
        description:
          'A cursor of the feed, or `now` for new events only. Without it, the stream starts at the first event.',
      }),
    }),
    body: noBody,
    data: {
      schema: z.string(),
      description: 'An open-ended stream of events.',
      isStream: true,
    },
    refusals: [400],
    example: { query: { after: present } },
    async handle({ query, caller, headers, requestId, disconnect }) {
      const { principalId } = caller;
      const asked = chooseStart(headers.get('last-event-id'), query.after);
      const after =
        asked === present
          ? await findFeedEnd(pool, principalId)
          : (asked ?? (await readFeed(pool, { principalId, limit: 0 })).nextCursor);
      const requireAccess = async () => authorize(await authenticator.check(headers), { scope });
      const stream = await streams.open({ principalId, after, requireAccess, disconnect });
      return new Response(stream, {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          // Tells proxies not to buffer the stream.
          'x-accel-buffering': 'no',
          'transfer-encoding': 'chunked',
          'x-request-id': requestId,
        },
      });
    },
  });
}
