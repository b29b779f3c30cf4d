import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TemporalRule } from '../../../src/records/rules/notificationTemplate.ts';
import { followSpans, type RuleSpan, type Step } from '../../../src/worker/notifier/followSpans.ts';
import { onDelay } from './documents.ts';

const onAge: TemporalRule = {
  ...onDelay,
  id: 'age',
  trigger: { ...onDelay.trigger, condition: { type: 'stateAge', threshold: { value: 1, unit: 'hours' } } },
};
const rules = [onDelay, onAge];

const step = (number: number, toState: string | null, dueBack?: string): Step => ({
  identity: `step ${number}`,
  transition: toState === null ? null : { fromState: 'before', toState, inputId: 'go' },
  blockNumber: BigInt(number),
  ms: number * 1_000,
  variables: dueBack === undefined ? {} : { dueBack },
});
const follow = (steps: Step[], open: RuleSpan[] = []) => followSpans(rules, { open, steps });
const lasting = (steps: Step[]) =>
  follow(steps).begun.flatMap(({ untilMs, untilBlock, ...span }) => (untilMs === null ? [span] : []));

describe('the spans of temporal rules', () => {
  test('begin with a state that the rule names, and end when it is left', () => {
    expect(follow([step(1, 'LENT'), step(5, 'RETURNED')]).begun).toMatchObject([
      { ruleId: 'late', stay: 'step 1', span: 'step 1', enteredMs: 1_000, untilMs: 5_000, untilBlock: 5n },
      { ruleId: 'age', stay: 'step 1', span: 'step 1', enteredMs: 1_000, untilMs: 5_000, untilBlock: 5n },
    ]);
    expect(follow([step(1, 'RETURNED')])).toEqual({ ended: [], begun: [] });
  });

  test('of a date start again when it changes, as parts of the same stay', () => {
    const { begun } = follow([step(1, 'LENT', '2026-01-01'), step(2, null, '2026-01-02')]);
    expect(begun).toMatchObject([
      { ruleId: 'late', stay: 'step 1', span: 'step 1', date: '2026-01-01', untilMs: 2_000 },
      { ruleId: 'age', span: 'step 1', untilMs: null },
      { ruleId: 'late', stay: 'step 1', span: 'step 2', date: '2026-01-02', sinceMs: 2_000, untilMs: null },
    ]);
  });

  test('go on where an input changes neither state nor date', () => {
    const steps = [step(1, 'LENT', '2026-01-01'), step(2, null, '2026-01-01')];
    expect(lasting(steps).map(({ span }) => span)).toEqual(['step 1', 'step 1']);
  });

  test('that lasted before are ended, and only those', () => {
    const open = lasting([step(1, 'LENT', '2026-01-01')]);
    const { ended, begun } = follow([step(2, null, '2026-01-02'), step(3, 'RETURNED')], open);
    expect(ended).toMatchObject([
      { ruleId: 'late', span: 'step 1', untilMs: 2_000 },
      { ruleId: 'age', span: 'step 1', untilMs: 3_000 },
    ]);
    expect(begun).toMatchObject([{ ruleId: 'late', span: 'step 2', untilMs: 3_000 }]);
  });
});

test('a history has the same spans, in whatever parts it is followed', () => {
  const state = fc.constantFrom('LENT', 'RETURNED', null, null);
  const steps = fc
    .array(fc.tuple(state, fc.constantFrom('2026-01-01', '2026-01-02', undefined)), { maxLength: 12 })
    .map((list) => list.map(([toState, dueBack], at) => step(at + 1, toState, dueBack)));
  fc.assert(
    fc.property(steps, fc.array(fc.nat({ max: 12 }), { maxLength: 4 }), (all, cuts) => {
      const whole = keyed(follow(all).begun);
      const parts = new Map<string, ReturnType<typeof follow>['begun'][number]>();
      const bounds = [0, ...cuts.toSorted((a, b) => a - b), all.length];
      for (const [at, from] of bounds.slice(0, -1).entries()) {
        const open = [...parts.values()].flatMap(({ untilMs, untilBlock, ...span }) =>
          untilMs === null ? [span] : [],
        );
        const { ended, begun } = follow(all.slice(from, bounds[at + 1]), open);
        for (const [key, span] of [...keyed(ended), ...keyed(begun)]) parts.set(key, span);
      }
      expect(new Map([...parts].sort())).toEqual(new Map([...whole].sort()));
    }),
  );
});

function keyed<Span extends RuleSpan>(spans: readonly Span[]): Map<string, Span> {
  return new Map(spans.map((span) => [`${span.ruleId} ${span.span}`, span]));
}
