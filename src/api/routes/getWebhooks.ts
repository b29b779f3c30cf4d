import { z } from '@hono/zod-openapi';
import { listSubscriptions } from '../../records/webhooks/listSubscriptions.ts';
import { toSubscription } from '../../records/webhooks/subscriptionResource.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondPage } from '../shapes/envelopes.ts';
import { pageParameters } from '../shapes/listParameters.ts';
import { subscriptionShape } from '../shapes/webhookShapes.ts';

export function getWebhooks({ database }: WebhookServices): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/webhooks',
    operationId: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'Belonging to the principal, newest first. Secrets are not included.',
    scope: 'webhooks.read',
    params: none,
    query: none.extend({ ...pageParameters, status: z.enum(['active', 'disabled']).optional() }),
    body: noBody,
    data: { schema: subscriptionShape, description: 'A page of webhooks.', isList: true },
    refusals: [400],
    example: { query: { status: 'active', limit: 10 } },
    async handle({ query, caller, requestId }) {
      const { principalId } = caller;
      const { page, ...pageInfo } = await listSubscriptions(database, { ...query, principalId });
      const dataText = JSON.stringify(page.map((row) => toSubscription(row)));
      return respondPage({ requestId, dataText, pageInfo: { limit: query.limit, ...pageInfo } });
    },
  });
}
