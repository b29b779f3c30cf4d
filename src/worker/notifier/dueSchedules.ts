import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import type { ruleSchedules } from '../../platform/database/tables/rules.ts';
import { ownerKeyOf } from '../../platform/database/tables/transactions.ts';
import { walkOwners } from '../../platform/database/walkOwners.ts';
import { leftToday, usedByRecord } from '../../records/quotas/dailyUse.ts';
import type { SpanRow } from './spanRow.ts';

/** The time up to which the chain's data are complete, and its confirmed blocks. */
export type ChainClock = { readonly nowMs: number; readonly confirmedBlock: bigint };

const schedulesAtOnce = 20;
/** The schedules of each principal that are looked at together. If all of them wait, so do the others of their records. */
const schedulesLookedAt = 200;
/** So often the next ones are looked at, without the records that wait. If all of these wait too, so do the others. */
const mostLooks = 20;
/**
 * How long a rule waits at most for the confirmations of its record's last input, because it sends the record's values
 * to recipients that they name. Beyond that, somebody who sends an input in every block would silence it.
 */
const longestWaitMs = 300_000;
/** The most principals with schedules, due or not, that a batch reads. */
const principalsAtOnce = 500;

export type DueRow = SpanRow &
  NotNull<RowOf<typeof ruleSchedules, 'due_ms'>> &
  RowOf<
    typeof records,
    'principal_id' | 'display_name' | 'template_id' | 'participants' | 'observers' | 'notification_template'
  > &
  Pick<TurnRow, 'owner'>;

/**
 * Locks a batch of a chain's due schedules, in turns over principals and in the order of these.
 *
 * @param options.after the principal after whom the batch begins; undefined for the beginning of a round.
 * @returns `next` is the principal after whom the next batch of this round begins; undefined at its end.
 */
export async function takeDueSchedules(
  transaction: Queryable,
  { chainId, clock, after }: { chainId: number; clock: ChainClock; after: string | undefined },
): Promise<{ rows: readonly DueRow[]; next: string | undefined }> {
  const looked = await transaction.execute<TurnRow>(findTurns({ chainId, clock, after }));
  const turns = looked.rows.filter(({ is_due: isDue }) => isDue).slice(0, schedulesAtOnce);
  const { rows } = await transaction.execute<DueRow>(sql`
    select schedule.*, r.principal_id, r.display_name, r.template_id, r.participants, r.observers,
      r.notification_template, ${sql.raw(ownerKeyOf('schedule.'))} as owner
    from service.rule_schedules schedule join service.records r on r.id = schedule.record_id
    where (schedule.record_id, schedule.rule_id, schedule.span) in (${findDueSchedules({ chainId, clock, turns })})
    order by r.principal_id, schedule.due_ms for update of schedule`);
  const isCut = turns.length === schedulesAtOnce || looked.rows.length === principalsAtOnce;
  const last = turns.length === schedulesAtOnce ? turns.at(-1) : looked.rows.at(-1);
  return { rows, next: isCut ? last?.owner : undefined };
}

/** Whether the rule fires although the last input of its record lacks confirmations. */
export function hasWaitedEnough({ due_ms: dueMs }: Pick<DueRow, 'due_ms'>, clock: ChainClock): boolean {
  return Number(dueMs) <= clock.nowMs - longestWaitMs;
}

/** A principal with schedules, what is left of its quotas if one of them is due, and whether that one may fire today. */
type TurnRow = { owner: string; is_due: boolean; events_left: string; bytes_left: string };

/**
 * The principals after this one, each found by one step in the index, however many schedules it has. The rules of
 * those that have used up their events for the day fire when allowed.
 */
function findTurns({
  chainId,
  clock,
  after,
}: {
  chainId: number;
  clock: ChainClock;
  after: string | undefined;
}): SQL {
  const firstOf = (position: SQL) => sql`
    select ${owner} as owner, due_ms from service.rule_schedules
    where chain_id = ${chainId} and due_ms is not null and ${position} order by ${owner}, due_ms limit 1`;
  return sql`
    ${walkOwners({ owner, firstOf, after, limit: principalsAtOnce })}
    select owner, events_left > 0 and bytes_left > 0 as is_due, events_left::text, bytes_left::text
    from (select owner, place,
        case when due_ms <= ${clock.nowMs} then ${leftToday('eventsPerDay', sql`round.owner`)} else 0 end as events_left,
        case when due_ms <= ${clock.nowMs} then ${leftToday('eventBytesPerDay', sql`round.owner`)} else 0 end as bytes_left
      from round) as measured order by place`;
}

/**
 * The oldest due schedules of each of these principals. A record that is not folded to the end may have left its state
 * by now, so its rules wait. So do those of a record whose last input may still fall out, or whose events have used up
 * its share of the quotas of the day. Others of the principal do not, however many of them wait.
 */
function findDueSchedules({
  chainId,
  clock,
  turns,
}: {
  chainId: number;
  clock: ChainClock;
  turns: readonly TurnRow[];
}): SQL {
  const share = Math.ceil(schedulesAtOnce / Math.max(turns.length, 1));
  const oldestBut = (records: SQL) => sql`(
    select record_id, rule_id, span, due_ms from service.rule_schedules
    where chain_id = ${chainId} and ${owner} = turn.owner and due_ms <= ${clock.nowMs}
      and since_block <= ${clock.confirmedBlock} and record_id <> all(${records})
    order by due_ms limit ${schedulesLookedAt}) as oldest`;
  const mayFire = mayFireAt(clock);
  return sql`
    select due.record_id, due.rule_id, due.span
    from unnest(${arrayOf(turns.map((turn) => turn.owner))}::text[],
      ${arrayOf(turns.map((turn) => turn.events_left))}::bigint[], ${arrayOf(turns.map((turn) => turn.bytes_left))}::bigint[])
      as turn(owner, events_left, bytes_left) cross join lateral (
      with recursive waiting as (
        select 0 as look, '{}'::text[] as records, true as is_cut
        union all
        select waiting.look + 1, waiting.records || looked.records, looked.is_cut
        from waiting cross join lateral (
          select array_agg(distinct oldest.record_id) as records, count(*) = ${schedulesLookedAt} as is_cut
          from ${oldestBut(sql`waiting.records`)}) as looked
        where waiting.is_cut and waiting.look < ${mostLooks} and not exists (
          select 1 from ${oldestBut(sql`waiting.records`)} where ${mayFire})
      ), passed as materialized (select records from waiting order by look desc limit 1)
      select oldest.* from ${oldestBut(sql`(select records from passed)::text[]`)}
      where ${mayFire} order by due_ms limit ${share}) as due`;
}

/** SQL: whether the schedule `oldest` may fire, as far as its record and the quotas left to its principal's `turn` decide. */
function mayFireAt(clock: ChainClock): SQL {
  return sql`not exists (select 1 from service.records r where r.id = oldest.record_id and (r.behind
        or r.state_block_number > ${clock.confirmedBlock} and oldest.due_ms > ${clock.nowMs - longestWaitMs}))
      and not exists (select 1 from service.quarantined_records r where r.record_id = oldest.record_id)
      and ${usedByRecord('eventsPerDay', sql`oldest.record_id`)} < turn.events_left
      and ${usedByRecord('eventBytesPerDay', sql`oldest.record_id`)} < turn.bytes_left`;
}

const owner = sql.raw(ownerKeyOf('rule_schedules.'));
