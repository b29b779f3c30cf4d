import { z } from '@hono/zod-openapi';
import { toDeliveries } from '../../records/webhooks/deliveryResource.ts';
import { redeliver } from '../../records/webhooks/redeliver.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { deliveryShape, webhookParams } from '../shapes/webhookShapes.ts';

const params = webhookParams.extend({
  deliveryId: z.string().openapi({ example: 'dlv_0123456789abcdef0123456789abcdef' }),
});

export function redeliverWebhook(services: WebhookServices): Endpoint {
  const { database } = services;
  return defineEndpoint({
    method: 'post',
    path: '/v0/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    operationId: 'redeliverWebhook',
    tag: 'Webhooks',
    summary: 'Redeliver an event',
    description:
      'Takes no body. Sends the same event with the same id immediately, whether the delivery failed or succeeded. Failed attempts are retried as usual. Returns before the first attempt. Counts as an event of the day.',
    scope: 'webhooks.write',
    params,
    query: none,
    body: noBody,
    data: { schema: deliveryShape, description: 'The delivery.' },
    refusals: [400, 404],
    reasons: ['webhook_disabled', 'quota_exceeded'],
    example: {
      after: [
        {
          operationId: 'listWebhookDeliveries',
          params: { id: '/data/0/webhookId', deliveryId: '/data/0/id' },
        },
      ],
    },
    async handle({ params: { id, deliveryId }, caller, requestId }) {
      const { principalId } = caller;
      await services.quotas.check(principalId, 'delivery');
      const row = await redeliver({ id, principalId }, deliveryId, services);
      const [delivery] = await toDeliveries(database, [row]);
      return respondSingle({
        requestId,
        dataText: JSON.stringify(delivery),
        consistency: writeConsistency([]),
      });
    },
  });
}
