import { z } from '@hono/zod-openapi';
import { measureStored } from '../../records/quotas/measureStored.ts';
import { type SubscriptionRow, toSubscription } from '../../records/webhooks/subscriptionResource.ts';
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
      'Omitted fields stay unchanged. Null or empty `eventTypes` resets them to `agreement.transitioned`. `filters` replaces all filters; null removes them. Status `active` enables a disabled webhook for new events. It is refused with 409 while very many pending deliveries are still being marked as failed.',
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
    reasons: ['webhook_target_not_allowed', 'webhook_limit_reached', 'webhook_disabled'],
    example: {
      body: { eventTypes: ['agreement.transitioned'], filters: { inputIds: ['__deploy'] }, status: 'active' },
      after: [{ operationId: 'createWebhook', params: { id: '/data/id' } }],
    },
    async handle({ params, body, caller, requestId }) {
      const { principalId, keyId } = caller;
      const change = { ...body, apiKeyId: keyId };
      const { before, after } = await updateSubscription({ ...params, principalId }, change, services);
      // As much as it has grown, or less than nothing: what it held before is counted already.
      const growth = measureSettings(after) - measureSettings(before);
      if (growth !== 0) services.quotas.note(principalId, { storedBytes: growth });
      const dataText = JSON.stringify(toSubscription(after));
      return respondSingle({ requestId, dataText, consistency: writeConsistency([]) });
    },
  });
}

function measureSettings({ url, eventTypes, filters }: SubscriptionRow): number {
  return measureStored([url, eventTypes, filters]);
}
