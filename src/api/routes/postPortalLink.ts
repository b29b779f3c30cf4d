import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { measureStored } from '../../records/quotas/measureStored.ts';
import { createPortalLink as makeLink, toPortalLink } from '../../records/sessions/portalLinks.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { capabilitiesShape, labelShape, newPortalLinkShape } from '../shapes/sessionShapes.ts';

const longestSeconds = 86_400;
const defaultSeconds = 3_600;

const bodyShape = z
  .strictObject({
    capabilities: capabilitiesShape.optional(),
    label: labelShape.optional(),
    expiresInSeconds: z
      .int()
      .min(1)
      .max(longestSeconds)
      .default(defaultSeconds)
      .openapi({ description: 'How long the link can be used.' }),
  })
  .optional();

export function createPortalLink({ database, limits, quotas, publicBaseUrl }: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/sessions/links',
    operationId: 'createPortalLink',
    tag: 'Sessions',
    summary: 'Create a one-time link to the console',
    description:
      'The first person to open the link gets a session with these capabilities. Not available to narrowed sessions.',
    scope: null,
    needsWhole: true,
    params: none,
    query: none,
    body: bodyShape,
    data: { schema: newPortalLinkShape, description: 'The link and its URL.' },
    refusals: [400, 413, 415],
    reasons: ['link_limit_reached', 'quota_exceeded'],
    example: { body: { label: 'Grace', capabilities: ['agreements.read'], expiresInSeconds: 900 } },
    async handle({ body = { expiresInSeconds: defaultSeconds }, caller, derive, requestId }) {
      const { principalId, keyId } = caller;
      await quotas.check(principalId, 'link');
      const { capabilities = null, label, expiresInSeconds } = body;
      const wanted = { principalId, keyId, capabilities, label, expiresInSeconds, derive };
      const { link, secret } = await makeLink(database, wanted, limits);
      // The session that it opens is as large.
      quotas.note(principalId, { answerBytes: 2 * measureStored([link]) });
      const url = `${publicBaseUrl}/console/enter#${secret}`;
      return respondSingle({
        requestId,
        dataText: JSON.stringify({ ...toPortalLink(link), url }),
        consistency: writeConsistency([]),
      });
    },
  });
}
