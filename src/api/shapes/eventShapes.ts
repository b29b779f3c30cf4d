import { z } from '@hono/zod-openapi';
import { eventApiVersion } from '../../records/events/envelope.ts';

/** The documented shapes of events; tests compare sent events with them. */

const instant = z.iso.datetime({ precision: 3 });

const envelopeOf = <Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.object({
    id: z.string().openapi({
      description: 'The same in every attempt and in the feed. Use it to detect repeats.',
      example: 'evt_90d0a6c8f2d1b3e44a7e9ce1f17b2a0d54b8c36f7f9a11e0d2c4b6a8e0f2d4c6',
    }),
    type: z.literal(type),
    apiVersion: z.literal(eventApiVersion),
    createdAt: instant,
    data,
  });

const agreementFacts = {
  agreementId: z.string().openapi({ example: 'agr_0123456789abcdef0123456789abcdef' }),
  agreementName: z.string().openapi({ example: 'Mural commission' }),
  templateId: z.string().openapi({ example: 'did:template:mural-commission' }),
};

export const transitionedEventShape = envelopeOf(
  'agreement.transitioned',
  z.object({
    ...agreementFacts,
    fromState: z.string().openapi({ description: 'Empty text for the deployment.', example: 'OFFERED' }),
    toState: z.string().openapi({ example: 'SKETCHING' }),
    inputId: z.string().openapi({
      description: '`__deploy` for the deployment.',
      example: 'acceptCommission',
    }),
    sequence: z.int().min(0).openapi({
      description:
        'The number of the transition within its agreement. The deployment is 0. An event with a lower number than one already received is late.',
      example: 1,
    }),
  }),
).openapi('TransitionedEvent', { description: 'An agreement was deployed, or an input changed its state.' });

export const notificationShape = z.object({
  subject: z.string(),
  title: z.string().optional(),
  body: z.string(),
  ctaLabel: z.string().optional(),
  attachmentStrategy: z.object({ type: z.literal('customerInvoicePdf'), variant: z.string() }).optional(),
});

export const notificationEventShape = envelopeOf(
  'agreement.notification.triggered',
  z.object({
    ...agreementFacts,
    notificationTemplateId: z.string(),
    ruleId: z.string().openapi({ example: 'remind-artist' }),
    triggerType: z.enum(['onTransition', 'temporal']),
    recipient: z.string(),
    notification: notificationShape,
    variables: z.record(z.string(), z.union([z.string(), z.boolean()])).openapi({
      description:
        "All effective values in full, and the values of the transition's input in fields that are no variables. If together they exceed the size of an event, the longest are left out.",
    }),
    transition: z
      .object({ fromState: z.string(), toState: z.string(), inputId: z.string(), occurredAt: instant })
      .optional(),
  }),
).openapi('NotificationEvent', { description: 'A notification rule fired for one recipient.' });

export const testEventShape = envelopeOf('webhook.test', z.object({})).openapi('TestEvent', {
  description: 'Sent by the test route to try a subscription.',
});

export const feedEventShape = z
  .discriminatedUnion('type', [transitionedEventShape, notificationEventShape])
  .openapi('Event');
