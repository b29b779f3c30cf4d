import { createPace } from '../../platform/turns/pace.ts';
import type { Rule } from '../../records/rules/notificationTemplate.ts';
import { type CountedFiring, firingKey, type RuleCounts } from '../../records/rules/readRuleCounts.ts';
import type { FiredRule } from './ruleClock.ts';

/**
 * Applies the limits of rules to simulated firings, step by step in their order: a recipient is left out once
 * the rule has fired for it as often as it may, and a rule without recipients does not fire. The counts are
 * read afterwards, because the steps decide who the recipients are.
 */
export async function limitFirings(
  steps: readonly (readonly FiredRule[])[],
  {
    rules,
    readCounts,
  }: { rules: readonly Rule[]; readCounts(firings: readonly CountedFiring[]): Promise<RuleCounts> },
): Promise<FiredRule[][]> {
  const limits = new Map(
    rules.flatMap(({ id, constraints }) =>
      constraints?.maxOccurrences === undefined ? [] : [[id, constraints.maxOccurrences] as const],
    ),
  );
  const limited = steps.flat().filter(({ ruleId }) => limits.has(ruleId));
  const firings = limited.flatMap(({ ruleId, recipients }) =>
    recipients.map((recipient) => ({ ruleId, recipient })),
  );
  if (firings.length === 0) return steps.map((fired) => [...fired]);
  const counts = new Map(await readCounts(firings));
  const pace = createPace();
  const allowed: FiredRule[][] = [];
  for (const fired of steps) {
    allowed.push(fired.flatMap((rule) => limitOne(rule, limits.get(rule.ruleId), counts)));
    await pace.breathe();
  }
  return allowed;
}

/** The rule with the recipients for whom it is not at its limit; counts the firing. */
function limitOne(
  rule: FiredRule,
  maximum: number | undefined,
  counts: Map<string, number>,
): readonly FiredRule[] {
  if (maximum === undefined) return [rule];
  const { ruleId, times = 1 } = rule;
  const recipients = rule.recipients.filter((recipient) => {
    const key = firingKey({ ruleId, recipient });
    const before = counts.get(key) ?? 0;
    counts.set(key, before + times);
    return before < maximum;
  });
  return recipients.length === 0 ? [] : [{ ...rule, recipients }];
}
