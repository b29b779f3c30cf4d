import { z } from '@hono/zod-openapi';
import { parseJson } from '../../platform/errors/parseJson.ts';
import { durationShape, toDurationMs } from './duration.ts';

export const templateLimits = {
  /** More than any installation should allow; `RuleLimits` has the installation's own limit. */
  rules: 1_000,
  /** Names, states, inputs or recipients in one list. */
  listItems: 256,
  idLength: 200,
  nameLength: 500,
  subjectLength: 500,
  bodyLength: 20_000,
  /** Milliseconds: ten years of 366 days. */
  durationMs: 10 * 366 * 86_400_000,
  /**
   * The most UTF-8 bytes that all rules together may write at one time: a notification holds all values of
   * the agreement.
   */
  notificationBytes: 16 * 1024 * 1024,
} as const;

/** An installation's limits for the rules of one agreement. */
export type RuleLimits = {
  readonly rules: number;
  /** The most notifications that all rules together may cause at one time. */
  readonly notifications: number;
};

export const defaultRuleLimits: RuleLimits = { rules: 100, notifications: 250 };

/** All participants, and all named observers. */
export const allParticipants = '*';
export const allObservers = '@observers';

export const blankMessage = 'must not be blank';
const named = (maximum: number) =>
  z
    .string()
    .max(maximum)
    .refine((text) => /\S/.test(text), blankMessage);
const listOf = (item: z.ZodType<string>) => z.array(item).max(templateLimits.listItems);

const boundedDurationShape = durationShape.refine(
  (duration) => toDurationMs(duration) <= templateLimits.durationMs,
  'must not be longer than ten years',
);

const intervalShape = boundedDurationShape.refine(
  (duration) => toDurationMs(duration) >= 1_000,
  'must be at least a second',
);

const transitionTriggerShape = z.strictObject({
  type: z.literal('onTransition'),
  from: listOf(z.string()).optional(),
  to: listOf(z.string()).optional(),
  inputs: listOf(z.string()).optional(),
});

const dateConditionShape = (type: 'deadlineApproaching' | 'elapsedSinceVariable') =>
  z.strictObject({ type: z.literal(type), variable: z.string(), threshold: boundedDurationShape });

const temporalTriggerShape = z.strictObject({
  type: z.literal('temporal'),
  states: listOf(z.string()).refine((states) => states.length > 0, 'must name at least one state'),
  condition: z.discriminatedUnion('type', [
    // A variable has no meaning here, but does no harm.
    z.strictObject({
      type: z.literal('stateAge'),
      variable: z.string().optional(),
      threshold: boundedDurationShape,
    }),
    dateConditionShape('deadlineApproaching'),
    dateConditionShape('elapsedSinceVariable'),
  ]),
  checkInterval: intervalShape.optional(),
  fireOnce: z.boolean().optional(),
});

const attachmentStrategyShape = z.strictObject({
  type: z.literal('customerInvoicePdf'),
  variant: named(templateLimits.nameLength),
});

const ruleShape = z.strictObject({
  id: named(templateLimits.idLength),
  name: z.string().max(templateLimits.nameLength),
  description: z.string().max(templateLimits.bodyLength).optional(),
  enabled: z.boolean().optional(),
  trigger: z.discriminatedUnion('type', [transitionTriggerShape, temporalTriggerShape]),
  recipients: listOf(z.string()).refine((recipients) => recipients.length > 0, 'must name at least one'),
  notification: z.strictObject({
    channel: z.enum(['external_webhook', 'email']).optional(),
    subject: named(templateLimits.subjectLength),
    title: z.string().max(templateLimits.subjectLength).optional(),
    body: named(templateLimits.bodyLength),
    ctaLabel: z.string().max(templateLimits.nameLength).optional(),
    attachmentStrategy: attachmentStrategyShape.optional(),
  }),
  constraints: z.strictObject({ maxOccurrences: z.int().positive().optional() }).optional(),
});

/**
 * The shape of an agreement's rules. Stored ones are read by it too, so it must not become narrower: `checkNotificationTemplate`
 * has what else is asked of new ones.
 */
export const notificationTemplateShape = z
  .looseObject({
    metadata: z
      .looseObject({
        id: named(templateLimits.idLength).optional(),
        agreementTemplateId: z.string().optional(),
        version: z.union([z.string(), z.number()], 'must be text or a number').optional(),
        name: z.string().optional(),
        description: z.string().optional(),
      })
      .optional(),
    rules: z.array(ruleShape).max(templateLimits.rules),
  })
  .openapi('NotificationTemplate', { description: 'Notification rules.' });

export type NotificationTemplate = z.output<typeof notificationTemplateShape>;
export type Rule = NotificationTemplate['rules'][number];
export type TransitionTrigger = z.output<typeof transitionTriggerShape>;
export type TemporalTrigger = z.output<typeof temporalTriggerShape>;
export type TemporalRule = Rule & { trigger: TemporalTrigger };
export type Channel = 'external_webhook' | 'email';

export function channelOf({ notification }: Rule): Channel {
  return notification.channel ?? 'email';
}

export function isTemporal(rule: Rule): rule is TemporalRule {
  return rule.trigger.type === 'temporal';
}

export type ReadRules = { readonly templateId: string | undefined; readonly rules: readonly Rule[] };

/** The enabled rules of a record; empty without rules, and if the stored rules do not match the shape. */
export function readRules(text: string | null): ReadRules {
  const none = { templateId: undefined, rules: [] };
  if (text === null) return none;
  const template = notificationTemplateShape.safeParse(parseJson(text)).data;
  if (!template) return none;
  return {
    templateId: template.metadata?.id,
    rules: template.rules.filter(({ enabled }) => enabled !== false),
  };
}
