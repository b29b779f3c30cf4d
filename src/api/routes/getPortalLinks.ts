import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { listPortalLinks, toPortalLink } from '../../records/sessions/portalLinks.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondPage } from '../shapes/envelopes.ts';
import { pageParameters } from '../shapes/listParameters.ts';
import { portalLinkShape } from '../shapes/sessionShapes.ts';

export function getPortalLinks({ database }: Services): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/sessions/links',
    operationId: 'listPortalLinks',
    tag: 'Sessions',
    summary: 'List unused portal links',
    description: 'Belonging to the principal, newest first. Not available to narrowed sessions.',
    scope: null,
    needsWhole: true,
    params: none,
    query: z.strictObject(pageParameters),
    body: noBody,
    data: { schema: portalLinkShape, description: 'A page of links.', isList: true },
    refusals: [400],
    example: { query: { limit: 10 } },
    async handle({ query, caller: { principalId }, requestId }) {
      const { page, ...rest } = await listPortalLinks(database, { principalId, ...query });
      const dataText = JSON.stringify(page.map(toPortalLink));
      return respondPage({ requestId, dataText, pageInfo: { limit: query.limit, ...rest } });
    },
  });
}
