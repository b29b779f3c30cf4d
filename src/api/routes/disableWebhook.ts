import { toSubscription } from '../../records/webhooks/subscriptionResource.ts';
import { updateSubscription } from '../../records/webhooks/updateSubscription.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { subscriptionShape, webhookParams } from '../shapes/webhookShapes.ts';

export function disableWebhook(services: WebhookServices): Endpoint {
  return defineEndpoint({
    method: 'delete',
    path: '/v0/webhooks/{id}',
    operationId: 'disableWebhook',
    tag: 'Webhooks',
    summary: 'Disable a webhook',
    description:
      'The webhook is kept with its deliveries. Nothing more is sent. Pending deliveries are marked as failed, soon after the response. Disabling a disabled webhook changes nothing.',
    scope: 'webhooks.write',
    params: webhookParams,
    query: none,
    body: noBody,
    data: { schema: subscriptionShape, description: 'The disabled webhook.' },
    refusals: [400, 404],
    example: { after: [{ operationId: 'createWebhook', params: { id: '/data/id' } }] },
    async handle({ params, caller, requestId }) {
      const { principalId } = caller;
      const { after } = await updateSubscription(
        { ...params, principalId },
        { status: 'disabled' },
        services,
      );
      const dataText = JSON.stringify(toSubscription(after));
      return respondSingle({ requestId, dataText, consistency: writeConsistency([]) });
    },
  });
}
