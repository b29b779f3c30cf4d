import { getSubscription } from '../../records/webhooks/getSubscription.ts';
import { toSubscription } from '../../records/webhooks/subscriptionResource.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { subscriptionShape, webhookParams } from '../shapes/webhookShapes.ts';

export function getWebhook({ database }: WebhookServices): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/webhooks/{id}',
    operationId: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Read a webhook',
    description: 'The secret is not included.',
    scope: 'webhooks.read',
    params: webhookParams,
    query: none,
    body: noBody,
    data: { schema: subscriptionShape, description: 'The webhook.' },
    refusals: [400, 404],
    example: { after: [{ operationId: 'createWebhook', params: { id: '/data/id' } }] },
    async handle({ params, caller, requestId }) {
      const { principalId } = caller;
      const row = await getSubscription(database, { ...params, principalId });
      return respondSingle({ requestId, dataText: JSON.stringify(toSubscription(row)) });
    },
  });
}
