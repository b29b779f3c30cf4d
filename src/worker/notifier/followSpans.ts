import type { VariableValues } from '../../platform/database/tables/records.ts';
import type { Transition } from '../../records/rules/matchTransition.ts';
import type { TemporalRule } from '../../records/rules/notificationTemplate.ts';
import { dateOf, planTemporal, type TemporalPlan } from '../../records/rules/temporalPlan.ts';

/** An event in the life of one agreement: its deployment, or an input. */
export type Step = {
  /** A unique name, even if a reorg moves it. */
  readonly identity: string;
  /** Null for an input that kept the state. */
  readonly transition: Transition | null;
  readonly blockNumber: bigint;
  readonly ms: number;
  /** The effective values after it. */
  readonly variables: VariableValues;
};

/** One rule of time during one span of one agreement, as in its schedule. */
export type RuleSpan = TemporalPlan & {
  readonly ruleId: string;
  readonly stay: string;
  readonly span: string;
  readonly state: string;
  readonly fromState: string;
  readonly inputId: string;
  readonly enteredMs: number;
  readonly sinceMs: number;
  readonly sinceBlock: bigint;
  readonly date: string | null;
};
export type SpanEnd = { readonly untilMs: number; readonly untilBlock: bigint };
export type FollowedSpans = {
  /** Earlier open spans, and how they ended. */
  readonly ended: readonly (RuleSpan & SpanEnd)[];
  readonly begun: readonly (RuleSpan & (SpanEnd | { untilMs: null; untilBlock: null }))[];
};

/**
 * Follows an agreement through its transitions in order. Entering a state begins a span of each rule that
 * names the state. Leaving it ends all spans. A changed date ends a rule's span and begins another one in the
 * same stay.
 */
export function followSpans(
  rules: readonly TemporalRule[],
  { open, steps }: { open: readonly RuleSpan[]; steps: readonly Step[] },
): FollowedSpans {
  const lastedBefore = new Set(open);
  const current = new Map(open.map((span) => [span.ruleId, span]));
  const ended: (RuleSpan & SpanEnd)[] = [];
  const passed: (RuleSpan & SpanEnd)[] = [];
  const end = (span: RuleSpan, { ms, blockNumber }: Step) => {
    const list = lastedBefore.has(span) ? ended : passed;
    list.push({ ...span, untilMs: ms, untilBlock: blockNumber });
    current.delete(span.ruleId);
  };
  for (const step of steps) {
    const { transition } = step;
    if (transition) {
      for (const span of [...current.values()]) end(span, step);
      for (const rule of rules.filter(({ trigger }) => trigger.states.includes(transition.toState)))
        current.set(rule.id, beginStay(rule, transition, step));
      continue;
    }
    for (const rule of rules) {
      const span = current.get(rule.id);
      if (!span || dateOf(rule.trigger, step.variables) === span.date) continue;
      end(span, step);
      current.set(rule.id, beginSpan(rule, span, step));
    }
  }
  const lasting = [...current.values()].filter((span) => !lastedBefore.has(span));
  return {
    ended,
    begun: [...passed, ...lasting.map((span) => ({ ...span, untilMs: null, untilBlock: null }))],
  };
}

function beginStay(rule: TemporalRule, transition: Transition, step: Step): RuleSpan {
  const { identity: stay, ms: enteredMs } = step;
  const { toState: state, fromState, inputId } = transition;
  return beginSpan(rule, { stay, state, fromState, inputId, enteredMs }, step);
}

function beginSpan(
  rule: TemporalRule,
  {
    stay,
    state,
    fromState,
    inputId,
    enteredMs,
  }: Pick<RuleSpan, 'stay' | 'state' | 'fromState' | 'inputId' | 'enteredMs'>,
  { identity: span, ms: sinceMs, blockNumber: sinceBlock, variables }: Step,
): RuleSpan {
  const date = dateOf(rule.trigger, variables);
  const plan = planTemporal(rule.trigger, { enteredMs, sinceMs, date });
  return {
    ruleId: rule.id,
    stay,
    span,
    state,
    fromState,
    inputId,
    enteredMs,
    sinceMs,
    sinceBlock,
    date,
    ...plan,
  };
}
