import { testDelivery } from '../../records/webhooks/testDelivery.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { testOutcomeShape, webhookParams } from '../shapes/webhookShapes.ts';

export function testWebhook(services: WebhookServices): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/webhooks/{id}/test',
    operationId: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test event to a webhook',
    description:
      'Takes no body. Sends a signed `webhook.test`, waits for the first attempt and returns its result. A failed attempt is retried as for any event. Counts as an event of the day. While ten tests of the webhook wait for their first attempt, the next is 429.',
    scope: 'webhooks.write',
    params: webhookParams,
    query: none,
    body: noBody,
    data: { schema: testOutcomeShape, description: 'The result of the first attempt.' },
    refusals: [400, 404],
    reasons: ['webhook_disabled', 'quota_exceeded'],
    example: { after: [{ operationId: 'createWebhook', params: { id: '/data/id' } }] },
    async handle({ params, caller, requestId }) {
      const { principalId } = caller;
      await services.quotas.check(principalId, 'delivery');
      const outcome = await testDelivery({ ...params, principalId }, services);
      const dataText = JSON.stringify(outcome);
      return respondSingle({ requestId, dataText, consistency: writeConsistency([]) });
    },
  });
}
