import type { Services } from '../../records/agreements/services.ts';
import { toLink } from '../../records/sharing/linkResource.ts';
import { revokeLink } from '../../records/sharing/manageLinks.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { findOwned } from '../agreements/findOwned.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { chainOfReference } from '../shapes/shapes.ts';
import { linkOfRecordParams, signingLinkShape } from '../shapes/sharingShapes.ts';

export function revokeSigningLink({ pool, database }: Services): Endpoint {
  return defineEndpoint({
    method: 'delete',
    path: '/v0/agreements/{id}/links/{linkId}',
    operationId: 'revokeSigningLink',
    tag: 'Sharing',
    summary: 'End a signing link',
    scope: 'agreements.write',
    params: linkOfRecordParams,
    query: chainOfReference,
    body: noBody,
    data: { schema: signingLinkShape, description: 'The ended link.' },
    refusals: [400, 404],
    example: {
      after: [{ operationId: 'createSigningLink', params: { id: '/data/agreementId', linkId: '/data/id' } }],
    },
    async handle({ params, query, caller: { principalId }, requestId }) {
      const reference = { id: params.id, chainId: query.chainId };
      const { id: recordId } = await findOwned(pool, { reference, principalId });
      const { uses, ...ended } = await revokeLink(database, { principalId, recordId, id: params.linkId });
      return respondSingle({
        requestId,
        dataText: JSON.stringify(toLink(ended, uses)),
        consistency: writeConsistency([]),
      });
    },
  });
}
