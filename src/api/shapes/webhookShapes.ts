import { z } from '@hono/zod-openapi';
import { deliveryStatuses } from '../../platform/database/tables/webhooks.ts';
import { filterNames, subscribableEventTypes } from '../../records/webhooks/subscriptionFilters.ts';
import { findUrlFault } from '../../records/webhooks/targetUrl.ts';

const instant = z.iso.datetime({ precision: 3 });

const maxFilterValues = 256;
const maxFilterValue = 1_000;
/** The limit over all filters as JSON: a page of a hundred webhooks holds them all. */
const maxFilterBytes = 32_768;
const filterMeanings: Record<(typeof filterNames)[number], string> = {
  agreementIds: 'The record id of the agreement.',
  templateIds: 'The `templateId` of the agreement.',
  inputIds: 'The input of the transition. `__deploy` for deployments.',
  fromStates: 'The state before the transition. Empty text for deployments.',
  toStates: 'The state after the transition.',
  ruleIds: 'The rule of a notification. Ignored for transitions.',
};

export const filtersShape = z
  .strictObject(
    Object.fromEntries(
      filterNames.map((name) => [
        name,
        z
          .array(z.string().max(maxFilterValue))
          .max(maxFilterValues)
          .optional()
          .openapi({ description: filterMeanings[name] }),
      ]),
    ),
  )
  .refine(
    (filters) => Buffer.byteLength(JSON.stringify(filters)) <= maxFilterBytes,
    `must have no more than ${maxFilterBytes} bytes of JSON in total`,
  )
  .openapi({
    description:
      'Values are compared exactly. An event must match one value of every filter; an absent or empty filter matches all events. Temporal notifications have no transition and never match `inputIds`, `fromStates` or `toStates`.',
  });

/** The types of a subscription, each once. */
export const eventTypesShape = z
  .array(z.enum(subscribableEventTypes))
  .max(maxFilterValues)
  .transform((types) => [...new Set(types)])
  .nullish()
  .openapi({ type: ['array', 'null'], items: { type: 'string', enum: [...subscribableEventTypes] } });

export const targetUrlShape = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .superRefine((text, context) => {
      const fault = findUrlFault(text);
      if (fault !== undefined) context.addIssue(fault);
    })
    .openapi({
      format: 'uri',
      description: 'http or https, without credentials. Redirects are not followed.',
    });

const subscriptionMembers = {
  id: z.string().openapi({ example: 'wh_0123456789abcdef0123456789abcdef' }),
  principalId: z.string(),
  createdByApiKeyId: z.string().optional().openapi({ description: 'For audits only.' }),
  url: z.string(),
  status: z.enum(['active', 'disabled']),
  eventTypes: z.array(z.enum(subscribableEventTypes)),
  filters: filtersShape.openapi('WebhookFilters').optional(),
  previousSecretUntil: instant.optional().openapi({
    description: 'When the previous secret expires. Present while it is still valid.',
  }),
  lastSuccessAt: instant.optional(),
  lastFailureAt: instant.optional(),
  failuresInRow: z.int().openapi({ description: 'Failed attempts since the last success.' }),
  createdAt: instant,
  updatedAt: instant,
};
export const subscriptionShape = z.object(subscriptionMembers).openapi('Webhook');

export const secretSubscriptionShape = z
  .object({
    ...subscriptionMembers,
    secret: z
      .string()
      .regex(/^whsec_[0-9a-f]{64}$/)
      .openapi({ description: 'Signs the deliveries. Store it now: it is shown only in this response.' }),
  })
  .openapi('WebhookWithSecret');

const attemptShape = z
  .object({
    number: z.int().openapi({ description: 'Counts from 1 across all redeliveries.' }),
    startedAt: instant,
    durationMs: z.int(),
    responseStatus: z.int().optional(),
    responseExcerpt: z.string().optional().openapi({ description: 'The beginning of the response body.' }),
    error: z.string().optional().openapi({ description: 'Why the attempt failed.' }),
  })
  .openapi('WebhookAttempt');

export const deliveryShape = z
  .object({
    id: z.string().openapi({ example: 'dlv_0123456789abcdef0123456789abcdef' }),
    webhookId: z.string(),
    eventId: z.string(),
    eventType: z.enum([...subscribableEventTypes, 'webhook.test']),
    agreementId: z.string().optional(),
    status: z.enum(deliveryStatuses).openapi({
      description:
        '`pending`: not attempted yet. `retry_pending`: retried at `nextAttemptAt`. `succeeded`. `failed`: not retried unless redelivered or recovered.',
    }),
    attemptCount: z.int(),
    nextAttemptAt: instant.optional(),
    responseStatus: z.int().optional().openapi({ description: 'From the last attempt.' }),
    error: z.string().optional().openapi({ description: 'From the last attempt.' }),
    createdAt: instant,
    updatedAt: instant,
    completedAt: instant.optional(),
    attempts: z.array(attemptShape).openapi({ description: 'The last 25 attempts, oldest first.' }),
  })
  .openapi('WebhookDelivery');

export const testOutcomeShape = z
  .object({
    ok: z.boolean().openapi({ description: 'Whether the immediate attempt succeeded.' }),
    deliveryId: z.string(),
    status: z.enum(deliveryStatuses),
    responseStatus: z.int().optional(),
    error: z.string().optional(),
  })
  .openapi('WebhookTest');

export const recoveryShape = z
  .object({
    recovered: z.int().openapi({ description: 'The number of deliveries scheduled again.' }),
    hasMore: z
      .boolean()
      .openapi({ description: 'Whether more failed deliveries remain. If so, repeat the request.' }),
  })
  .openapi('WebhookRecovery');

export const webhookParams = z.strictObject({
  id: z.string().openapi({ example: 'wh_0123456789abcdef0123456789abcdef' }),
});
