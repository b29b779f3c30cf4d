import type { VariableValues } from '../../platform/database/tables/records.ts';
import type { Participant } from '../../protocol/participants.ts';
import { describe as describeNotification } from './buildFirings.ts';
import { findMismatch, type Transition } from './matchTransition.ts';
import type { Firing } from './newestFirings.ts';
import { channelOf, isTemporal, type NotificationTemplate, type Rule } from './notificationTemplate.ts';
import { occasionOfInterval, occasionOfStay } from './occasion.ts';
import { type CountedFiring, firingKey, type RuleCounts } from './readRuleCounts.ts';
import { resolveRecipients } from './recipients.ts';
import { dateOf, findDue, planTemporal } from './temporalPlan.ts';
import type { Notification } from './writeNotification.ts';

/**
 * The occasion to preview: a possible transition, or a moment in the present state. Times in Unix
 * milliseconds.
 */
export type PreviewOccasion =
  | { readonly type: 'transition'; readonly transition: Transition }
  | { readonly type: 'moment'; readonly atMs: number };

/** The record as it is now. */
export type PreviewedRecord = {
  readonly id: string;
  readonly principalId: string;
  readonly chainId: number;
  readonly displayName: string;
  readonly templateId: string;
  readonly participants: readonly Participant[];
  readonly observers: readonly string[];
  readonly variables: VariableValues;
  /** Null while it is not deployed. */
  readonly state: string | null;
  readonly enteredMs: number | null;
  /** The transition that entered the state. */
  readonly enteredBy: { readonly fromState: string; readonly inputId: string };
  /** The schedules of rules of time, by rule. */
  readonly spans: ReadonlyMap<string, PreviewedSpan>;
  /** Firings so far. Withdrawn ones may be among them: those of transitions, which silence no rule. */
  readonly fired: readonly Firing[];
};

/** Reads how often rules with a limit have fired for these recipients. */
export type CountReader = (firings: readonly CountedFiring[]) => Promise<RuleCounts>;

export type PreviewedSpan = {
  readonly stay: string;
  readonly span: string;
  readonly sinceMs: number;
  readonly nextNumber: number;
};

/** Why a rule, or a rule for one recipient, would not fire. */
export type SilenceReason =
  | 'disabled'
  | 'other_trigger'
  | 'from_state_not_listed'
  | 'to_state_not_listed'
  | 'input_not_listed'
  | 'not_deployed'
  | 'state_not_listed'
  | 'no_date'
  | 'not_due'
  | 'already_fired'
  | 'max_occurrences'
  | 'no_recipients';

export type PreviewedRule = {
  readonly ruleId: string;
  readonly triggerType: 'onTransition' | 'temporal';
  readonly channel: 'external_webhook' | 'email';
  readonly fires: boolean;
  /** Only if it does not fire. */
  readonly reason?: SilenceReason;
  /** When a rule of time fires next, or fired for this moment; absent if it never fires in this state. */
  readonly dueAt?: string;
  readonly recipients: readonly { recipient: string; fires: boolean; reason?: SilenceReason }[];
  readonly notification?: Notification;
};

/** The effect of each rule of a template on an occasion, and why the others would do nothing. */
export async function previewRules(
  template: NotificationTemplate,
  {
    record,
    occasion,
    readCounts,
  }: { record: PreviewedRecord; occasion: PreviewOccasion; readCounts: CountReader },
): Promise<PreviewedRule[]> {
  const all = template.rules.map((rule) => {
    const judged = judge(rule, { record, occasion });
    const isSilent = judged.reason !== undefined;
    const names = isSilent ? [] : resolveRecipients(rule.recipients, record).map(({ name }) => name);
    return { rule, judged, names };
  });
  const limited = all.filter(({ rule }) => rule.constraints?.maxOccurrences !== undefined);
  const counts = await readCounts(
    limited.flatMap(({ rule, names }) => names.map((recipient) => ({ ruleId: rule.id, recipient }))),
  );
  const fired = new Set(record.fired.map(occasionKey));
  return all.map(({ rule, judged, names }) => {
    const common = { ruleId: rule.id, triggerType: rule.trigger.type, channel: channelOf(rule) };
    const dueAt = judged.dueMs === undefined ? {} : { dueAt: new Date(judged.dueMs).toISOString() };
    if (judged.reason !== undefined)
      return { ...common, fires: false, reason: judged.reason, ...dueAt, recipients: [] };
    const recipients = names.map((recipient) => {
      const reason = findSilence(rule, { fired, counts, recipient, occasion: judged.occasion });
      return { recipient, fires: reason === undefined, ...(reason !== undefined && { reason }) };
    });
    const [first] = recipients;
    const fires = recipients.some((recipient) => recipient.fires);
    const occurrence = { rule, templateId: undefined, record: { ...record, notificationTemplate: null } };
    const { variables } = record;
    const notification = describeNotification({
      ...occurrence,
      variables,
      occasion: '',
      occurredAt: undefined,
      transition: judged.transition,
    });
    if (fires) return { ...common, fires, ...dueAt, recipients, notification };
    return { ...common, fires, reason: first?.reason ?? 'no_recipients', ...dueAt, recipients };
  });
}

type Judgement = {
  readonly reason?: SilenceReason;
  readonly dueMs?: number;
  readonly occasion?: string;
  readonly transition: Transition;
};

function judge(
  rule: Rule,
  { record, occasion }: { record: PreviewedRecord; occasion: PreviewOccasion },
): Judgement {
  const entry = { ...record.enteredBy, toState: record.state ?? '' };
  const transition = occasion.type === 'transition' ? occasion.transition : entry;
  if (rule.enabled === false) return { reason: 'disabled', transition };
  if (occasion.type === 'moment')
    return { ...judgeMoment(rule, { record, atMs: occasion.atMs }), transition };
  const { trigger } = rule;
  if (trigger.type !== 'onTransition') return { reason: 'other_trigger', transition };
  const mismatch = findMismatch(trigger, transition);
  return mismatch === undefined ? { transition } : { reason: mismatch, transition };
}

function judgeMoment(
  rule: Rule,
  { record, atMs }: { record: PreviewedRecord; atMs: number },
): Omit<Judgement, 'transition'> {
  if (!isTemporal(rule)) return { reason: 'other_trigger' };
  const { state, enteredMs, variables } = record;
  if (state === null || enteredMs === null) return { reason: 'not_deployed' };
  if (!rule.trigger.states.includes(state)) return { reason: 'state_not_listed' };
  const { sinceMs = enteredMs, nextNumber = 0, stay, span } = record.spans.get(rule.id) ?? {};
  const plan = planTemporal(rule.trigger, { enteredMs, sinceMs, date: dateOf(rule.trigger, variables) });
  if (plan.startsMs === null) return { reason: 'no_date' };
  const due = findDue(plan, { nowMs: atMs, untilMs: null, nextNumber: 0 });
  if (!due) return { reason: 'not_due', dueMs: plan.startsMs };
  if (plan.endsMs !== null && atMs > plan.endsMs) return { reason: 'not_due' };
  if (due.number < nextNumber) return { reason: 'already_fired', dueMs: due.dueMs };
  if (stay === undefined || span === undefined) return { dueMs: due.dueMs };
  const occasion = plan.intervalMs === null ? occasionOfStay(stay) : occasionOfInterval(span, due.number);
  return { dueMs: due.dueMs, occasion };
}

function findSilence(
  { id: ruleId, constraints }: Rule,
  {
    fired,
    counts,
    recipient,
    occasion,
  }: {
    fired: ReadonlySet<string>;
    counts: RuleCounts;
    recipient: string;
    occasion: string | undefined;
  },
): SilenceReason | undefined {
  if (occasion !== undefined && fired.has(occasionKey({ ruleId, recipient, occasion })))
    return 'already_fired';
  const maximum = constraints?.maxOccurrences ?? Number.POSITIVE_INFINITY;
  return (counts.get(firingKey({ ruleId, recipient })) ?? 0) >= maximum ? 'max_occurrences' : undefined;
}

function occasionKey({ ruleId, recipient, occasion }: Firing): string {
  return JSON.stringify([ruleId, recipient, occasion]);
}
