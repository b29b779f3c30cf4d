import { z } from '@hono/zod-openapi';
import { deliveryStatuses } from '../../platform/database/tables/webhooks.ts';
import { toDeliveries } from '../../records/webhooks/deliveryResource.ts';
import { listDeliveries } from '../../records/webhooks/listDeliveries.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondPage } from '../shapes/envelopes.ts';
import { pageParameters } from '../shapes/listParameters.ts';
import { deliveryShape, webhookParams } from '../shapes/webhookShapes.ts';

export function getWebhookDeliveries({ database }: WebhookServices): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/webhooks/{id}/deliveries',
    operationId: 'listWebhookDeliveries',
    tag: 'Webhooks',
    summary: 'List the deliveries of a webhook',
    description: 'Newest first, with the attempts and responses of each delivery.',
    scope: 'webhooks.read',
    params: webhookParams,
    query: none.extend({ ...pageParameters, status: z.enum(deliveryStatuses).optional() }),
    body: noBody,
    data: { schema: deliveryShape, description: 'A page of deliveries.', isList: true },
    refusals: [400, 404],
    example: {
      query: { limit: 10 },
      after: [{ operationId: 'createWebhook', params: { id: '/data/id' } }],
    },
    async handle({ params, query, caller, requestId }) {
      const reference = { ...params, principalId: caller.principalId };
      const { page, ...pageInfo } = await listDeliveries(database, reference, query);
      const dataText = JSON.stringify(await toDeliveries(database, page));
      return respondPage({ requestId, dataText, pageInfo: { limit: query.limit, ...pageInfo } });
    },
  });
}
