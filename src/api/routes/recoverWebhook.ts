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
    summary: 'Retry all failed deliveries',
    description:
      'Schedules the failed deliveries created at or after `since`, oldest first, with as many attempts as new ones. Returns before they are sent. One request schedules at most 10000 deliveries; each counts as an event of the day.',
    scope: 'webhooks.write',
    params: webhookParams,
    query: none,
    body: z.strictObject({ since: instantShape }),
    data: { schema: recoveryShape, description: 'The number of scheduled deliveries.' },
    refusals: [400, 404, 413, 415],
    reasons: ['webhook_disabled', 'quota_exceeded'],
    example: {
      body: { since: '2026-01-31T12:00:00Z' },
      after: [{ operationId: 'createWebhook', params: { id: '/data/id' } }],
    },
    async handle({ params, body, caller, requestId }) {
      const { principalId } = caller;
      await services.quotas.check(principalId, 'delivery');
      const recovered = await recover({ ...params, principalId }, body.since, services);
      const dataText = JSON.stringify(recovered);
      return respondSingle({ requestId, dataText, consistency: writeConsistency([]) });
    },
  });
}
