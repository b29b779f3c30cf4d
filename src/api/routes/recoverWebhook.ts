import { z } from '@hono/zod-openapi';
import { recover } from '../../records/webhooks/recover.ts';
import type { WebhookServices } from '../../records/webhooks/webhookServices.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { instantShape } from '../shapes/listParameters.ts';
import { recoveryShape, webhookParams } from '../shapes/webhookShapes.ts';

export function recoverWebhook(services: WebhookServices): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/webhooks/{id}/recover',
    operationId: 'recoverWebhook',
    tag: 'Webhooks',
    summary: 'Send all failed deliveries again',
    description:
      'Those that were made at `since` or later, in that order, as often as new ones. Answers before they are sent. One request takes on 10000 of them at most.',
    scope: 'webhooks.write',
    params: webhookParams,
    query: none,
    body: z.strictObject({ since: instantShape }),
    data: { schema: recoveryShape, description: 'How many will be sent again.' },
    refusals: [400, 404, 413, 415],
    reasons: ['webhook_disabled'],
    example: {
      body: { since: '2026-01-31T12:00:00Z' },
      after: [{ operationId: 'createWebhook', params: { id: '/data/id' } }],
    },
    async handle({ params, body, caller, requestId }) {
      const { principalId } = caller;
      const recovered = await recover({ ...params, principalId }, body.since, services);
      const dataText = JSON.stringify(recovered);
      return respondSingle({ requestId, dataText, consistency: writeConsistency([]) });
    },
  });
}
