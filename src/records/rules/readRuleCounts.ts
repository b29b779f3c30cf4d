import type pg from 'pg';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { ruleCounts } from '../../platform/database/tables/rules.ts';

/** A rule and one of its recipients, by the recipient's name in events. */
export type CountedFiring = { readonly ruleId: string; readonly recipient: string };

/** How often rules have fired for recipients, by `firingKey`; a rule that has never fired may be absent. */
export type RuleCounts = ReadonlyMap<string, number>;

type Row = RowAs<typeof ruleCounts, { ruleId: 'rule_id'; recipient: 'recipient' }> & { count: number | null };

const atOnce = 1_000;

/** Each count is looked up by its key: a record counts permanently for every recipient that its variables have named. */
const query = `select asked.rule_id as "ruleId", asked.recipient,
    (select c.count from service.rule_counts c
      where c.record_id = $1 and c.rule_id = asked.rule_id and c.recipient = asked.recipient) as count
  from unnest($2::text[], $3::text[]) as asked (rule_id, recipient)`;

export function firingKey({ ruleId, recipient }: CountedFiring): string {
  return JSON.stringify([ruleId, recipient]);
}

/** Reads the counts of these firings of one record, and no others. */
export async function readRuleCounts(
  pool: pg.Pool,
  { recordId, firings }: { recordId: string; firings: readonly CountedFiring[] },
): Promise<RuleCounts> {
  const asked = [...new Map(firings.map((firing) => [firingKey(firing), firing])).values()];
  const counts = new Map<string, number>();
  for (let at = 0; at < asked.length; at += atOnce) {
    const some = asked.slice(at, at + atOnce);
    const rows = await runPrepared<Row>(pool, query, [
      recordId,
      some.map(({ ruleId }) => ruleId),
      some.map(({ recipient }) => recipient),
    ]);
    for (const { count, ...firing } of rows) if (count !== null) counts.set(firingKey(firing), count);
  }
  return counts;
}
