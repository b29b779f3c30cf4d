import { z } from '@hono/zod-openapi';
import { rotateSecret } from '../../records/webhooks/rotateSecret.ts';
import { toSubscription } from '../../records/webhooks/subscriptionResource.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { secretSubscriptionShape, webhookParams } from '../shapes/webhookShapes.ts';

const longestGraceSeconds = 604_800;
const defaultGraceSeconds = 86_400;

const bodyShape = z
  .strictObject({
    graceSeconds: z
      .int()
      .min(0)
      .max(longestGraceSeconds)
      .default(defaultGraceSeconds)
      .openapi({ description: 'How long the old secret stays valid. 0 ends it immediately.' }),
  })
  .optional();

export function rotateWebhookSecret(services: WebhookServices): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/webhooks/{id}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the secret of a webhook',
    description:
      "During the grace period, `webhook-signature` lists one signature per secret, and the service's own header is signed with the old secret. A rotation during the grace period starts it again: the secret just replaced stays valid, and the one before it ends.",
    scope: 'webhooks.write',
    params: webhookParams,
    query: none,
    body: bodyShape,
    data: { schema: secretSubscriptionShape, description: 'The webhook and its new secret.' },
    refusals: [400, 404, 413, 415],
    example: {
      body: { graceSeconds: 3_600 },
      after: [{ operationId: 'createWebhook', params: { id: '/data/id' } }],
    },
    async handle({ params, body, caller, derive, requestId }) {
      const { principalId, keyId: apiKeyId } = caller;
      const graceSeconds = body?.graceSeconds ?? defaultGraceSeconds;
      const { subscription, secret } = await rotateSecret(
        { ...params, principalId },
        { apiKeyId, graceSeconds, derive },
        services,
      );
      const dataText = JSON.stringify(toSubscription(subscription, secret));
      return respondSingle({ requestId, dataText, consistency: writeConsistency([]) });
    },
  });
}
