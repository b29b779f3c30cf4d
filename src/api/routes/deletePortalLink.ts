import type { Services } from '../../records/agreements/services.ts';
import { revokePortalLink as revokeLink, toPortalLink } from '../../records/sessions/portalLinks.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { portalLinkParams, portalLinkShape } from '../shapes/sessionShapes.ts';

export function revokePortalLink({ database }: Services): Endpoint {
  return defineEndpoint({
    method: 'delete',
    path: '/v0/sessions/links/{id}',
    operationId: 'revokePortalLink',
    tag: 'Sessions',
    summary: 'End a portal link before it is used',
    description: 'A session already opened with the link stays open. Not available to narrowed sessions.',
    scope: null,
    needsWhole: true,
    params: portalLinkParams,
    query: none,
    body: noBody,
    data: { schema: portalLinkShape, description: 'The ended link.' },
    refusals: [400, 404],
    example: { after: [{ operationId: 'createPortalLink', params: { id: '/data/id' } }] },
    async handle({ params, caller: { principalId }, requestId }) {
      const ended = await revokeLink(database, { ...params, principalId });
      return respondSingle({
        requestId,
        dataText: JSON.stringify(toPortalLink(ended)),
        consistency: writeConsistency([]),
      });
    },
  });
}
