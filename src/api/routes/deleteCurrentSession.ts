import { NotFoundError } from '../../platform/errors/serviceError.ts';
import { endSession } from '../../records/sessions/endSession.ts';
import { toSession } from '../../records/sessions/sessionRow.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import type { SessionServices } from '../authentication/sessionServices.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { sessionShape } from '../shapes/sessionShapes.ts';

export function endCurrentSession({ database, cookies }: SessionServices): Endpoint {
  return defineEndpoint({
    method: 'delete',
    path: '/v0/sessions/current',
    operationId: 'endCurrentSession',
    tag: 'Sessions',
    summary: 'End the current session',
    description: 'Also removes the cookie.',
    scope: null,
    credentials: ['session'],
    params: none,
    query: none,
    body: noBody,
    data: { schema: sessionShape, description: 'The ended session.' },
    refusals: [404],
    example: {},
    async handle({ caller: { principalId, session }, requestId }) {
      if (!session)
        throw new NotFoundError('The request has no session: it was authenticated with an API key.');
      const ended = await endSession(database, { id: session.id, principalId });
      const response = respondSingle({
        requestId,
        dataText: JSON.stringify(toSession(ended, ended.id)),
        consistency: writeConsistency([]),
      });
      response.headers.set('set-cookie', cookies.clear('session'));
      return response;
    },
  });
}
