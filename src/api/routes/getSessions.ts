import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { listSessions } from '../../records/sessions/listSessions.ts';
import { toSession } from '../../records/sessions/sessionRow.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondPage } from '../shapes/envelopes.ts';
import { pageParameters } from '../shapes/listParameters.ts';
import { sessionShape } from '../shapes/sessionShapes.ts';

export function getSessions({ database }: Services): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/sessions',
    operationId: 'listSessions',
    tag: 'Sessions',
    summary: 'List active sessions',
    description: 'Belonging to the principal, newest first. Not available to narrowed sessions.',
    scope: null,
    needsWhole: true,
    params: none,
    query: z.strictObject(pageParameters),
    body: noBody,
    data: { schema: sessionShape, description: 'A page of sessions.', isList: true },
    refusals: [400],
    example: { query: { limit: 10 } },
    async handle({ query, caller: { principalId, session }, requestId }) {
      const { page, ...rest } = await listSessions(database, { principalId, ...query });
      const dataText = JSON.stringify(page.map((row) => toSession(row, session?.id)));
      return respondPage({ requestId, dataText, pageInfo: { limit: query.limit, ...rest } });
    },
  });
}
