import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { firingsAtOnce } from '../../records/rules/newestFirings.ts';
import { previewNotifications } from '../agreements/previewNotifications.ts';
import { defineEndpoint, type Endpoint } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { notificationShape } from '../shapes/eventShapes.ts';
import { instantShape } from '../shapes/listParameters.ts';
import { chainOfReference, notificationTemplateShape, recordParams } from '../shapes/shapes.ts';

/** Rules for the agreement of the other examples. */
const exampleTemplate = {
  rules: [
    {
      id: 'taken',
      name: 'The bicycle is taken',
      trigger: { type: 'onTransition', to: ['LENT'] },
      recipients: ['owner'],
      notification: {
        channel: 'external_webhook',
        subject: `\${agreementName}`,
        body: `\${variables.bicycle} is lent since now.`,
      },
    },
  ],
};

const maxName = 1_000;
const bodyShape = z.strictObject({
  transition: z
    .strictObject({
      inputId: z.string().max(maxName),
      fromState: z.string().max(maxName).optional(),
      toState: z.string().max(maxName).optional(),
    })
    .optional()
    .openapi({
      description: 'The transition to preview. `__deploy` is the deployment. States are optional.',
    }),
  at: instantShape.optional().openapi({
    description: 'A time to preview instead of a transition. The state is assumed to last until then.',
  }),
  notificationTemplate: notificationTemplateShape.optional(),
});

const reasonShape = z.enum([
  'disabled',
  'other_trigger',
  'from_state_not_listed',
  'to_state_not_listed',
  'input_not_listed',
  'not_deployed',
  'state_not_listed',
  'no_date',
  'not_due',
  'already_fired',
  'max_occurrences',
  'no_recipients',
]);

const previewShape = z
  .object({
    transition: z.object({ fromState: z.string(), toState: z.string(), inputId: z.string() }).optional(),
    at: z.string().optional(),
    rules: z.array(
      z.object({
        ruleId: z.string(),
        triggerType: z.enum(['onTransition', 'temporal']),
        channel: z.enum(['external_webhook', 'email']),
        fires: z.boolean(),
        reason: reasonShape.optional().openapi({ description: 'Why the rule would not fire.' }),
        dueAt: z.string().optional().openapi({ description: 'When a temporal rule is due.' }),
        recipients: z.array(
          z.object({ recipient: z.string(), fires: z.boolean(), reason: reasonShape.optional() }),
        ),
        notification: notificationShape.optional(),
      }),
    ),
  })
  .openapi('NotificationPreview');

export function previewNotificationsEndpoint(services: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/{id}/notifications/preview',
    operationId: 'previewNotifications',
    tag: 'Using agreements',
    summary: 'Preview notification rules for a transition or a time',
    description: `Returns for each rule whether it would fire, for which recipients and with which text, or why not. Uses the rules of the record unless the body supplies others. Knows the newest ${firingsAtOnce} firings of the record: a rule of time that fired before them in the present state may be shown as firing once more, but does not. Stores and sends nothing.`,
    scope: 'agreements.read',
    isHeavy: true,
    params: recordParams,
    query: chainOfReference,
    body: bodyShape,
    data: { schema: previewShape, description: 'All rules, in the order of the template.' },
    refusals: [400, 404, 413, 415],
    reasons: ['invalid_notification_template', 'unknown_input'],
    example: {
      body: { transition: { inputId: 'take' }, notificationTemplate: exampleTemplate },
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
    },
    async handle({ body, params, query, caller, requestId }) {
      const reference = { id: params.id, chainId: query.chainId };
      const { principalId } = caller;
      const { occasion, rules } = await previewNotifications({ ...body, reference, principalId }, services);
      const asked =
        occasion.type === 'transition'
          ? { transition: occasion.transition }
          : { at: new Date(occasion.atMs).toISOString() };
      return respondSingle({ requestId, dataText: JSON.stringify({ ...asked, rules }) });
    },
  });
}
