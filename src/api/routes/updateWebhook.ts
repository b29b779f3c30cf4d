import { z } from '@hono/zod-openapi';
import { toSubscription } from '../../records/webhooks/subscriptionResource.ts';
import { updateSubscription } from '../../records/webhooks/updateSubscription.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import {
  eventTypesShape,
  filtersShape,
  subscriptionShape,
  targetUrlShape,
  webhookParams,
} from '../shapes/webhookShapes.ts';

export function updateWebhook(services: WebhookServices): Endpoint {
  return defineEndpoint({
    method: 'patch',
    path: '/v0/webhooks/{id}',
    operationId: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'What is left out stays as it is. Event types that are null or empty become `agreement.transitioned` again; filters are replaced as a whole, and null removes them. The status `active` enables a disabled webhook again, for events from then on.',
    scope: 'webhooks.write',
    params: webhookParams,
    query: none,
    body: z.strictObject({
      url: targetUrlShape(services.webhookSettings.urlLength).optional(),
      eventTypes: eventTypesShape,
      filters: filtersShape.nullish(),
      status: z.enum(['active', 'disabled']).optional(),
    }),
    data: { schema: subscriptionShape, description: 'The webhook.' },
    refusals: [400, 404, 413, 415],
    reasons: ['webhook_target_not_allowed', 'webhook_limit_reached'],
    example: {
      body: { eventTypes: ['agreement.transitioned'], filters: { inputIds: ['__deploy'] }, status: 'active' },
      after: [{ operationId: 'createWebhook', params: { id: '/data/id' } }],
    },
    async handle({ params, body, caller, requestId }) {
      const { principalId } = caller;
      const row = await updateSubscription({ ...params, principalId }, body, services);
      const dataText = JSON.stringify(toSubscription(row));
      return respondSingle({ requestId, dataText, consistency: writeConsistency([]) });
    },
  });
}
