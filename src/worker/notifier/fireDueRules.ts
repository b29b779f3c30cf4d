import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import { lockFeeds } from '../../records/events/lockFeeds.ts';
import { defaultQuotas } from '../../records/quotas/quotas.ts';
import { buildFirings, passOnVariables } from '../../records/rules/buildFirings.ts';
import { isTemporal, readRules } from '../../records/rules/notificationTemplate.ts';
import { occasionOfInterval, occasionOfStay } from '../../records/rules/occasion.ts';
import { findDue } from '../../records/rules/temporalPlan.ts';
import { releaseEvents, releaseNow } from '../publisher/releaseEvents.ts';
import { releaseFirings } from './releaseFirings.ts';
import { numberOf, type SpanRow, spanOf } from './spanRow.ts';
import { storeFirings } from './storeFirings.ts';

/** The time up to which the chain's data are complete, and its confirmed blocks. */
export type ChainClock = { readonly nowMs: number; readonly confirmedBlock: bigint };

/** Any constant works; with the chain's id it names the lock for firing a chain's rules. */
const ruleLock = 0x72756c65;
const schedulesAtOnce = 20;

type DueRow = SpanRow &
  RowOf<
    typeof records,
    | 'principal_id'
    | 'display_name'
    | 'template_id'
    | 'participants'
    | 'observers'
    | 'variables'
    | 'notification_template'
  >;

export type FiredRules = {
  /** Number of due schedules; if it equals the batch size, more may be left. */
  readonly schedules: number;
  readonly firings: number;
  readonly isComplete: boolean;
};

/**
 * Fires a batch of a chain's due rules of time, in the caller's transaction, which must see concurrent
 * commits. One process per chain does so at a time; for any other there is nothing to do. Of several missed
 * intervals only the last one fires. Confirmed, unreleased events are released first, because a transition
 * comes before notifications about its state.
 */
export async function fireDueRules(
  transaction: Queryable,
  {
    chainId,
    clock,
    eventIds,
    createdAt,
  }: { chainId: number; clock: ChainClock; eventIds: EventIds; createdAt: Date },
): Promise<FiredRules> {
  const lock = await transaction.execute<{ held: boolean }>(
    sql`select pg_try_advisory_xact_lock(${ruleLock}::int, ${chainId}::int) as held`,
  );
  if (lock.rows[0]?.held !== true) return { schedules: 0, firings: 0, isComplete: true };
  const { rows } = await transaction.execute<DueRow>(sql`
    select schedule.*, r.principal_id, r.display_name, r.template_id, r.participants, r.observers, r.variables,
      r.notification_template
    from service.rule_schedules schedule join service.records r on r.id = schedule.record_id
    where (schedule.record_id, schedule.rule_id, schedule.span) in (${findDueSchedules({ chainId, clock })})
    order by schedule.due_ms for update of schedule`);
  if (rows.length > 0) {
    const principals = [...new Set(rows.map(({ principal_id }) => principal_id))];
    await lockFeeds(transaction, principals);
    const confirmed = { chainId, through: clock.confirmedBlock, principals };
    await releaseEvents(transaction, confirmed);
    await releaseFirings(transaction, confirmed);
  }
  let firings = 0;
  for (const row of rows) {
    const { number, count } = await fire(transaction, row, { chainId, clock, eventIds, createdAt });
    firings += count;
    await transaction.execute(sql`
      update service.rule_schedules set next_number = ${number + 1}
      where record_id = ${row.record_id} and rule_id = ${row.rule_id} and span = ${row.span}`);
  }
  return { schedules: rows.length, firings, isComplete: rows.length < schedulesAtOnce };
}

/**
 * In turns over principals, without those that have used up their events for the day: their rules fire when
 * allowed.
 */
function findDueSchedules({ chainId, clock }: { chainId: number; clock: ChainClock }): SQL {
  return sql`
    select record_id, rule_id, span from (
      select due.*, row_number() over (partition by r.principal_id order by due.due_ms) as turn
      from service.rule_schedules due join service.records r on r.id = due.record_id
      left join service.usage_days today
        on today.principal_id = r.principal_id and today.day = (now() at time zone 'utc')::date
      left join service.principal_quotas own on own.principal_id = r.principal_id and own.quota = 'eventsPerDay'
      where due.chain_id = ${chainId} and due.due_ms <= ${clock.nowMs} and due.since_block <= ${clock.confirmedBlock}
        and coalesce(today.events, 0) < coalesce(own.value, ${defaultQuotas.eventsPerDay})
    ) as waiting order by turn, due_ms limit ${schedulesAtOnce}`;
}

async function fire(
  transaction: Queryable,
  row: DueRow,
  {
    chainId,
    clock,
    eventIds,
    createdAt,
  }: { chainId: number; clock: ChainClock; eventIds: EventIds; createdAt: Date },
): Promise<{ number: number; count: number }> {
  const span = spanOf(row);
  const nextNumber = Number(row.next_number);
  const due = findDue(span, { nowMs: clock.nowMs, untilMs: numberOf(row.until_ms), nextNumber });
  const { templateId, rules } = readRules(row.notification_template);
  const rule = rules.find((candidate) => candidate.id === row.rule_id);
  if (!due || !rule || !isTemporal(rule)) return { number: due?.number ?? nextNumber, count: 0 };
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
  const { variables } = row;
  const occurrence = { rule, templateId, record, occasion, transition, occurredAt: undefined, variables };
  const passedOn = passOnVariables([occurrence]);
  const firings = buildFirings(occurrence, { eventIds, createdAt, variables: passedOn });
  const stored = await storeFirings(transaction, firings, { chainId, txHash: null, blockNumber: null });
  const events = stored.flatMap(({ event }) => event ?? []);
  await releaseNow(
    transaction,
    events.map((event, blockOrder) => ({ ...event, blockNumber: null, txHash: null, blockOrder })),
  );
  return { number: due.number, count: stored.length };
}
