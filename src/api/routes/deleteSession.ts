import type { Services } from '../../records/agreements/services.ts';
import { endSession } from '../../records/sessions/endSession.ts';
import { toSession } from '../../records/sessions/sessionRow.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { sessionParams, sessionShape } from '../shapes/sessionShapes.ts';

export function revokeSession({ database }: Services): Endpoint {
  return defineEndpoint({
    method: 'delete',
    path: '/v0/sessions/{id}',
    operationId: 'revokeSession',
    tag: 'Sessions',
    summary: 'End a session',
    description:
      'Ends any session of the principal. Takes effect in every process within a second. Not available to narrowed sessions.',
    scope: null,
    needsWhole: true,
    params: sessionParams,
    query: none,
    body: noBody,
    data: { schema: sessionShape, description: 'The ended session.' },
    refusals: [400, 404],
    example: { after: [{ operationId: 'createSession', params: { id: '/data/id' } }] },
    async handle({ params, caller: { principalId, session }, requestId }) {
      const ended = await endSession(database, { ...params, principalId });
      return respondSingle({
        requestId,
        dataText: JSON.stringify(toSession(ended, session?.id)),
        consistency: writeConsistency([]),
      });
    },
  });
}
