import { z } from '@hono/zod-openapi';
import { measureStored } from '../../records/quotas/measureStored.ts';
import { createSubscription } from '../../records/webhooks/createSubscription.ts';
import { toSubscription } from '../../records/webhooks/subscriptionResource.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import {
  eventTypesShape,
  filtersShape,
  secretSubscriptionShape,
  targetUrlShape,
} from '../shapes/webhookShapes.ts';

export function createWebhook(services: WebhookServices): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/webhooks',
    operationId: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Subscribe a receiver to events',
    description:
      '`eventTypes` defaults to `agreement.transitioned`. Deliveries are signed with the secret in the response. The URL must use https and resolve to public addresses only, unless the operator allows other targets. A principal keeps 2000 disabled webhooks. Beyond that, a new webhook removes one that was disabled long ago and has no deliveries any more.',
    scope: 'webhooks.write',
    params: none,
    query: none,
    body: z.strictObject({
      url: targetUrlShape(services.webhookSettings.urlLength),
      eventTypes: eventTypesShape,
      filters: filtersShape.nullish(),
    }),
    data: { schema: secretSubscriptionShape, description: 'The webhook and its secret.' },
    refusals: [400, 413, 415],
    reasons: ['webhook_target_not_allowed', 'webhook_limit_reached', 'storage_exceeded'],
    example: {
      body: {
        url: 'https://93.184.215.14/agreements',
        eventTypes: ['agreement.transitioned', 'agreement.notification.triggered'],
        filters: { templateIds: ['did:template:lease'], toStates: ['SIGNED', 'ENDED'] },
      },
    },
    async handle({ body, caller, derive, requestId }) {
      const { principalId, keyId } = caller;
      await services.quotas.check(principalId, 'webhook');
      const { subscription, secret } = await createSubscription(
        { ...body, principalId, apiKeyId: keyId, derive },
        services,
      );
      // Disabled webhooks stay.
      services.quotas.note(principalId, { storedBytes: measureStored([body]) });
      const dataText = JSON.stringify(toSubscription(subscription, secret));
      return respondSingle({ requestId, dataText, consistency: writeConsistency([]) });
    },
  });
}
