import { z } from '@hono/zod-openapi';
import { AccessError } from '../../platform/errors/serviceError.ts';
import { previewPortalLink as readPreview, toPortalLink } from '../../records/sessions/portalLinks.ts';
import { requireOwnPage } from '../authentication/ownPage.ts';
import type { SessionServices } from '../authentication/sessionServices.ts';
import { defineOpenEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { portalLinkPreviewShape, secretShape } from '../shapes/sessionShapes.ts';

const bodyShape = z.strictObject({ link: secretShape('agp_') });

export function previewPortalLink({ database, publicBaseUrl, failedAttempts }: SessionServices): Endpoint {
  return defineOpenEndpoint({
    method: 'post',
    path: '/v0/sessions/links/preview',
    operationId: 'previewPortalLink',
    tag: 'Sessions',
    summary: 'See whom a portal link lets in',
    description:
      'For a page that asks before it replaces a session: who opens a link may not know from whom it comes. It does not use the link up. Requires the header `X-Agreements-Session: 1`.',
    credentials: ['none'],
    params: none,
    query: none,
    body: bodyShape,
    data: { schema: portalLinkPreviewShape, description: 'What the session would be.' },
    refusals: [400, 413, 415],
    example: { body: { link: `agp_${'0123456789abcdef'.repeat(4)}` } },
    async admit({ headers, client, limitClient }) {
      requireOwnPage(headers, publicBaseUrl);
      if (client !== undefined) failedAttempts.require(client);
      await limitClient('portal link');
    },
    async handle({ body, client, requestId }) {
      const preview = await readPreview(database, body.link).catch((error: unknown) => {
        if (client !== undefined && error instanceof AccessError) failedAttempts.note(client);
        throw error;
      });
      const { label, capabilities, isNarrowed, expiresAt } = toPortalLink(preview);
      const data = { principal: preview.principal, label, capabilities, isNarrowed, expiresAt };
      return respondSingle({ requestId, dataText: JSON.stringify(data) });
    },
  });
}
