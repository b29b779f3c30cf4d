import type { WireValues } from '../../protocol/index.ts';
import type { Participant } from '../../protocol/participants.ts';
import { findMismatch, type Transition } from '../../records/rules/matchTransition.ts';
import {
  channelOf,
  isTemporal,
  type Rule,
  type TemporalRule,
} from '../../records/rules/notificationTemplate.ts';
import { firingKey } from '../../records/rules/readRuleCounts.ts';
import { resolveRecipients } from '../../records/rules/recipients.ts';
import { dateOf, findDue, planTemporal } from '../../records/rules/temporalPlan.ts';

/** A firing rule and its recipients. The rule's limit is not applied yet: `limitFirings` does that. */
export type FiredRule = {
  readonly ruleId: string;
  readonly triggerType: 'onTransition' | 'temporal';
  readonly channel: 'external_webhook' | 'email';
  readonly recipients: readonly string[];
  /** For a rule of time: when it is due; the last time if there are several. */
  readonly dueAt?: string;
  readonly times?: number;
};

/** The schedules of an agreement's rules. Times in Unix milliseconds. */
export type RuleClock = {
  /** The enabled rules. */
  readonly rules: readonly Rule[];
  readonly enteredMs: number;
  /** Keyed by rule of time: since when its date has its value, and the number of the next interval. */
  readonly spans: ReadonlyMap<string, { readonly sinceMs: number; readonly nextNumber: number }>;
  /** The firings in this stay of rules that fire once, as `firingKey`s: a date that moves does not repeat them. */
  readonly firedOnce: ReadonlySet<string>;
};

/** The people that rules may name, and the values that rules use. */
export type RuleParties = {
  readonly participants: readonly Participant[];
  readonly observers: readonly string[];
  readonly variables: WireValues;
};

/**
 * The rules of time that become due up to a moment, if the state lasts until then. As on a chain, a rule does not fire
 * at the moment that ends its span.
 *
 * @param options.endsSpan whether an input at this moment ends the rule's span; by default none does.
 */
export function passTime(
  clock: RuleClock,
  {
    state,
    atMs,
    parties,
    endsSpan = () => false,
  }: { state: string; atMs: number; parties: RuleParties; endsSpan?(rule: TemporalRule): boolean },
): { fired: FiredRule[]; clock: RuleClock } {
  const spans = new Map(clock.spans);
  const firedOnce = new Set(clock.firedOnce);
  const fired: FiredRule[] = [];
  for (const rule of clock.rules) {
    if (!isTemporal(rule) || !rule.trigger.states.includes(state)) continue;
    const { sinceMs, nextNumber } = spans.get(rule.id) ?? { sinceMs: clock.enteredMs, nextNumber: 0 };
    const date = dateOf(rule.trigger, parties.variables);
    const plan = planTemporal(rule.trigger, { enteredMs: clock.enteredMs, sinceMs, date });
    const untilMs = endsSpan(rule) ? atMs : null;
    const due = findDue(plan, { nowMs: atMs, untilMs, nextNumber });
    if (due === undefined) continue;
    spans.set(rule.id, { sinceMs, nextNumber: due.number + 1 });
    const times = due.number - nextNumber + 1;
    const ruleId = rule.id;
    const recipients = namesOf(rule, parties).filter(
      (recipient) => !firedOnce.has(firingKey({ ruleId, recipient })),
    );
    if (recipients.length === 0) continue;
    if (plan.intervalMs === null)
      for (const recipient of recipients) firedOnce.add(firingKey({ ruleId, recipient }));
    fired.push({ ...describe(rule), recipients, dueAt: new Date(due.dueMs).toISOString(), times });
  }
  return { fired, clock: { ...clock, spans, firedOnce } };
}

/** The rules that a transition triggers, and the clock in the new state. */
export function passTransition(
  clock: RuleClock,
  { transition, atMs, parties }: { transition: Transition; atMs: number; parties: RuleParties },
): { fired: FiredRule[]; clock: RuleClock } {
  const fired = clock.rules.flatMap((rule): FiredRule[] => {
    if (rule.trigger.type !== 'onTransition' || findMismatch(rule.trigger, transition)) return [];
    const recipients = namesOf(rule, parties);
    return recipients.length === 0 ? [] : [{ ...describe(rule), recipients }];
  });
  return { fired, clock: { ...clock, enteredMs: atMs, spans: new Map(), firedOnce: new Set() } };
}

/** The clock after an input that changed values and kept the state: a changed date starts again. */
export function passChange(
  clock: RuleClock,
  { before, after, atMs }: { before: WireValues; after: WireValues; atMs: number },
): RuleClock {
  const changed = clock.rules.filter((rule) => isTemporal(rule) && movesDate(rule, { before, after }));
  if (changed.length === 0) return clock;
  const begun = changed.map(({ id }) => [id, { sinceMs: atMs, nextNumber: 0 }] as const);
  return { ...clock, spans: new Map([...clock.spans, ...begun]) };
}

/** Whether an input that changed values gave the rule another date. */
export function movesDate(
  { trigger }: TemporalRule,
  { before, after }: { before: WireValues; after: WireValues },
): boolean {
  return dateOf(trigger, before) !== dateOf(trigger, after);
}

function namesOf({ recipients }: Rule, parties: RuleParties): string[] {
  return resolveRecipients(recipients, parties).map(({ name }) => name);
}

function describe(rule: Rule): Pick<FiredRule, 'ruleId' | 'triggerType' | 'channel'> {
  return { ruleId: rule.id, triggerType: rule.trigger.type, channel: channelOf(rule) };
}
