import { createPace } from '../../platform/turns/pace.ts';
import { isTemporal, type Rule } from '../../records/rules/notificationTemplate.ts';
import { type CountedFiring, firingKey, type RuleCounts } from '../../records/rules/readRuleCounts.ts';
import { intervalOf } from '../../records/rules/temporalPlan.ts';
import type { FiredRule } from './ruleClock.ts';

/**
 * Applies the limits of rules to simulated firings, step by step in their order: a recipient is left out once
 * the rule has fired for it as often as it may, and a rule without recipients does not fire. A rule of time that
 * comes due several times in a step fires at most as often as it still may for one of its recipients. The counts
 * are read afterwards, because the steps decide who the recipients are.
 */
export async function limitFirings(
  steps: readonly (readonly FiredRule[])[],
  {
    rules,
    readCounts,
  }: { rules: readonly Rule[]; readCounts(firings: readonly CountedFiring[]): Promise<RuleCounts> },
): Promise<FiredRule[][]> {
  const limits = new Map(
    rules.flatMap((rule) => readLimit(rule) ?? []).map((limit) => [limit.ruleId, limit]),
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

type Limit = {
  readonly ruleId: string;
  readonly maximum: number;
  /** Between two firings of a rule of time; 0 if it fires once. */
  readonly intervalMs: number;
};

/** Undefined for a rule without a limit. */
function readLimit(rule: Rule): Limit | undefined {
  const maximum = rule.constraints?.maxOccurrences;
  if (maximum === undefined) return undefined;
  return { ruleId: rule.id, maximum, intervalMs: (isTemporal(rule) && intervalOf(rule.trigger)) || 0 };
}

/** The rule with the recipients for whom it is not at its limit; counts its firings. */
function limitOne(
  rule: FiredRule,
  limit: Limit | undefined,
  counts: Map<string, number>,
): readonly FiredRule[] {
  if (limit === undefined) return [rule];
  const { ruleId, times = 1 } = rule;
  let most = 0;
  const recipients = rule.recipients.filter((recipient) => {
    const key = firingKey({ ruleId, recipient });
    const before = counts.get(key) ?? 0;
    const fired = Math.min(times, limit.maximum - before);
    if (fired <= 0) return false;
    counts.set(key, before + fired);
    most = Math.max(most, fired);
    return true;
  });
  return recipients.length === 0 ? [] : [{ ...rule, recipients, ...endAfter(most, { rule, limit }) }];
}

/** The number of firings of a rule of time, and when the last of them is due. */
function endAfter(
  times: number,
  { rule, limit }: { rule: FiredRule; limit: Limit },
): Pick<FiredRule, 'times' | 'dueAt'> {
  if (rule.times === undefined || rule.dueAt === undefined) return {};
  const dueMs = Date.parse(rule.dueAt) - (rule.times - times) * limit.intervalMs;
  return { times, dueAt: new Date(dueMs).toISOString() };
}
