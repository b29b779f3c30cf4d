import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { passFoldGate } from '../../platform/database/foldGate.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { records, VariableValues } from '../../platform/database/tables/records.ts';
import type { ruleSchedules } from '../../platform/database/tables/rules.ts';
import { ownerKeyOf } from '../../platform/database/tables/transactions.ts';
import { walkOwners } from '../../platform/database/walkOwners.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import { addRecordUsage, addUsage } from '../../records/quotas/usage.ts';
import { buildFirings, passOnVariables } from '../../records/rules/buildFirings.ts';
import { isTemporal, readRules } from '../../records/rules/notificationTemplate.ts';
import { occasionOfInterval, occasionOfStay } from '../../records/rules/occasion.ts';
import { findDue } from '../../records/rules/temporalPlan.ts';
import { releaseFirst, releaseNow } from '../publisher/releaseEvents.ts';
import { createDailyAllowance, type DailyAllowance, leftToday, usedByRecord } from './dailyAllowance.ts';
import { releaseFirstMails } from './releaseMails.ts';
import { numberOf, type SpanRow, spanOf } from './spanRow.ts';
import { storeFirings } from './storeFirings.ts';

/** The time up to which the chain's data are complete, and its confirmed blocks. */
export type ChainClock = { readonly nowMs: number; readonly confirmedBlock: bigint };

/** Any constant works; with the chain's id it names the lock for firing a chain's rules. */
const ruleLock = 0x72756c65;
const schedulesAtOnce = 20;
/** A batch ends after about this many firings and deliveries: it holds the feeds of its principals. */
const rowsAtOnce = 2_000;
/** The most schedules of each principal. If all of them wait for their records, its other rules wait too. */
const schedulesLookedAt = 200;
/**
 * How long a rule waits at most for the confirmations of its record's last input, because it sends the record's values
 * to recipients that they name. Beyond that, somebody who sends an input in every block would silence it.
 */
const longestWaitMs = 300_000;
/** The most principals with schedules, due or not, that a batch reads. */
const principalsAtOnce = 500;

type DueRow = SpanRow &
  NotNull<RowOf<typeof ruleSchedules, 'due_ms'>> &
  RowOf<
    typeof records,
    'principal_id' | 'display_name' | 'template_id' | 'participants' | 'observers' | 'notification_template'
  > &
  Pick<TurnRow, 'owner'>;

export type FiredRules = {
  /** Number of schedules that were due and taken. */
  readonly schedules: number;
  readonly firings: number;
  /** Where the next batch of this round over principals begins; undefined at its end. */
  readonly next: string | undefined;
};

/**
 * Fires a batch of a chain's due rules of time, in the caller's transaction, which must see concurrent
 * commits. One process per chain does so at a time; for any other there is nothing to do, nor is there while a fold keeps
 * others from changing its records. Of several missed
 * intervals only the last one fires. Confirmed, unreleased events are released first, because a transition
 * comes before notifications about its state.
 *
 * @param options.after the principal after whom this batch begins; undefined for the beginning of a round.
 */
export async function fireDueRules(
  transaction: Queryable,
  {
    after,
    ...options
  }: { chainId: number; clock: ChainClock; eventIds: EventIds; createdAt: Date; after?: string | undefined },
): Promise<FiredRules> {
  const { chainId, clock } = options;
  const lock = await transaction.execute<{ held: boolean }>(
    sql`select pg_try_advisory_xact_lock(${ruleLock}::int, ${chainId}::int) as held`,
  );
  if (lock.rows[0]?.held !== true || !(await passFoldGate(transaction, chainId)))
    return { schedules: 0, firings: 0, next: undefined };
  const looked = await transaction.execute<TurnRow>(findTurns({ chainId, clock, after }));
  const turns = looked.rows.filter(({ is_due: isDue }) => isDue).slice(0, schedulesAtOnce);
  const { rows } = await transaction.execute<DueRow>(sql`
    select schedule.*, r.principal_id, r.display_name, r.template_id, r.participants, r.observers,
      r.notification_template, ${sql.raw(ownerKeyOf('schedule.'))} as owner
    from service.rule_schedules schedule join service.records r on r.id = schedule.record_id
    where (schedule.record_id, schedule.rule_id, schedule.span) in (${findDueSchedules({ chainId, clock, turns })})
    order by r.principal_id, schedule.due_ms for update of schedule`);
  const principals = [...new Set(rows.map(({ principal_id: id }) => id))];
  const confirmed = { chainId, through: clock.confirmedBlock, principals };
  // A batch keeps a fold waiting, so it waits for nobody: principals whose feeds others have locked come later.
  const { unfinished } = await releaseFirst(transaction, confirmed);
  const ready = principals.filter((id) => !unfinished.includes(id));
  await releaseFirstMails(transaction, { ...confirmed, principals: ready });
  const due = rows.filter(({ principal_id: id }) => ready.includes(id));
  const fired: DueRow[] = [];
  let firings = 0;
  let stored = 0;
  let recordId: string | undefined;
  let values: Values = { variables: {}, isConfirmed: true };
  const mailAllowance = createDailyAllowance(transaction, 'mailsPerDay');
  // In the order of principals, as all transactions lock the rows of usage.
  for (const row of [...Map.groupBy(due, ({ record_id: id }) => id).values()].flat()) {
    // Once for all its rules, and one record's at a time: they may have megabytes.
    if (row.record_id !== recordId)
      values = await readValues(transaction, { recordId: row.record_id, clock });
    recordId = row.record_id;
    const { variables, isConfirmed } = values;
    // A fold may have added an input since the schedules were chosen.
    if (!isConfirmed && Number(row.due_ms) > clock.nowMs - longestWaitMs) continue;
    const { number, count, deliveries } = await fire(transaction, row, {
      ...options,
      variables,
      mailAllowance,
    });
    firings += count;
    stored += count + deliveries;
    await transaction.execute(sql`
      update service.rule_schedules set next_number = ${number + 1}
      where record_id = ${row.record_id} and rule_id = ${row.rule_id} and span = ${row.span}`);
    fired.push(row);
    if (stored >= rowsAtOnce) break;
  }
  const isCut = turns.length === schedulesAtOnce || looked.rows.length === principalsAtOnce;
  const last = turns.length === schedulesAtOnce ? turns.at(-1) : looked.rows.at(-1);
  const lastFired = stored >= rowsAtOnce ? fired.at(-1) : undefined;
  return { schedules: fired.length, firings, next: lastFired?.owner ?? (isCut ? last?.owner : undefined) };
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
 * its share of the quotas of the day.
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
  return sql`
    select due.record_id, due.rule_id, due.span
    from unnest(${arrayOf(turns.map((turn) => turn.owner))}::text[],
      ${arrayOf(turns.map((turn) => turn.events_left))}::bigint[], ${arrayOf(turns.map((turn) => turn.bytes_left))}::bigint[])
      as turn(owner, events_left, bytes_left) cross join lateral (
      select oldest.* from (
        select record_id, rule_id, span, due_ms from service.rule_schedules
        where chain_id = ${chainId} and ${owner} = turn.owner and due_ms <= ${clock.nowMs}
          and since_block <= ${clock.confirmedBlock}
        order by due_ms limit ${schedulesLookedAt}) as oldest
      where not exists (select 1 from service.records r where r.id = oldest.record_id and (r.behind
          or r.state_block_number > ${clock.confirmedBlock} and oldest.due_ms > ${clock.nowMs - longestWaitMs}))
        and not exists (select 1 from service.quarantined_records r where r.record_id = oldest.record_id)
        and ${usedByRecord('eventsPerDay', sql`oldest.record_id`)} < turn.events_left
        and ${usedByRecord('eventBytesPerDay', sql`oldest.record_id`)} < turn.bytes_left
      order by due_ms limit ${share}) as due`;
}

const owner = sql.raw(ownerKeyOf('rule_schedules.'));

/** A record's values, and whether the block of its last input has its confirmations. */
type Values = { readonly variables: VariableValues; readonly isConfirmed: boolean };

async function readValues(
  transaction: Queryable,
  { recordId, clock }: { recordId: string; clock: ChainClock },
): Promise<Values> {
  const { rows } = await transaction.execute<
    RowOf<typeof records, 'variables'> & { is_confirmed: boolean }
  >(sql`
    select variables, coalesce(state_block_number <= ${clock.confirmedBlock}, true) as is_confirmed
    from service.records where id = ${recordId}`);
  const [row] = rows;
  return { variables: row?.variables ?? {}, isConfirmed: row?.is_confirmed ?? true };
}

async function fire(
  transaction: Queryable,
  row: DueRow,
  {
    chainId,
    clock,
    eventIds,
    createdAt,
    variables,
    mailAllowance,
  }: {
    chainId: number;
    clock: ChainClock;
    eventIds: EventIds;
    createdAt: Date;
    variables: VariableValues;
    mailAllowance: DailyAllowance;
  },
): Promise<{ number: number; count: number; deliveries: number }> {
  const span = spanOf(row);
  const nextNumber = Number(row.next_number);
  const due = findDue(span, { nowMs: clock.nowMs, untilMs: numberOf(row.until_ms), nextNumber });
  const { templateId, rules } = readRules(row.notification_template);
  const rule = rules.find((candidate) => candidate.id === row.rule_id);
  if (!due || !rule || !isTemporal(rule))
    return { number: due?.number ?? nextNumber, count: 0, deliveries: 0 };
  const record = {
    id: row.record_id,
    principalId: row.principal_id,
    chainId,
    displayName: row.display_name,
    templateId: row.template_id,
    participants: row.participants,
    observers: row.observers,
    notificationTemplate: row.notification_template,
  };
  const occasion =
    span.intervalMs === null ? occasionOfStay(span.stay) : occasionOfInterval(span.span, due.number);
  const transition = { fromState: span.fromState, toState: span.state, inputId: span.inputId };
  const occurrence = { rule, templateId, record, occasion, transition, occurredAt: undefined, variables };
  const passedOn = passOnVariables([occurrence]);
  const firings = buildFirings(occurrence, { eventIds, createdAt, variables: passedOn });
  const stored = await storeFirings(transaction, firings, {
    chainId,
    txHash: null,
    blockNumber: null,
    mailAllowance,
  });
  const events = stored.flatMap(({ event }) => event ?? []);
  // Events count when they are released; mails count here, as firings that are stored.
  const mails = stored.length - events.length;
  if (mails > 0) {
    await addUsage(transaction, [{ principalId: record.principalId, events: mails }]);
    await addRecordUsage(transaction, [{ recordId: record.id, events: mails }]);
  }
  const deliveries = await releaseNow(
    transaction,
    events.map((event, blockOrder) => ({ ...event, blockNumber: null, txHash: null, blockOrder })),
  );
  return { number: due.number, count: stored.length, deliveries };
}
