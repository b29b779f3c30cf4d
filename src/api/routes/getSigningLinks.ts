import type { Services } from '../../records/agreements/services.ts';
import { toLink } from '../../records/sharing/linkResource.ts';
import { listLinks } from '../../records/sharing/manageLinks.ts';
import { findOwned } from '../agreements/findOwned.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import { respondPage } from '../shapes/envelopes.ts';
import { pageParameters } from '../shapes/listParameters.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';
import { signingLinkShape } from '../shapes/sharingShapes.ts';

export function getSigningLinks({ pool, database }: Services): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/agreements/{id}/links',
    operationId: 'listSigningLinks',
    tag: 'Sharing',
    summary: 'List the active signing links of an agreement',
    description: 'Newest first, with the uses of each link.',
    scope: 'agreements.write',
    params: recordParams,
    query: chainOfReference.extend(pageParameters),
    body: noBody,
    data: { schema: signingLinkShape, description: 'A page of links.', isList: true },
    refusals: [400, 404],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
      query: { limit: 10 },
    },
    async handle({ params, query, caller: { principalId }, requestId }) {
      const { limit, cursor, chainId } = query;
      const { id: recordId } = await findOwned(pool, { reference: { id: params.id, chainId }, principalId });
      const { page, ...rest } = await listLinks(database, { principalId, recordId, limit, cursor });
      const dataText = JSON.stringify(page.map(({ uses, ...link }) => toLink(link, uses)));
      return respondPage({ requestId, dataText, pageInfo: { limit, ...rest } });
    },
  });
}
