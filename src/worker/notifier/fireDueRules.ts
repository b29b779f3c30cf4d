import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { passFoldGate } from '../../platform/database/foldGate.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records, VariableValues } from '../../platform/database/tables/records.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import { addRecordUsage, addUsage } from '../../records/quotas/usage.ts';
import { buildFirings, passOnVariables } from '../../records/rules/buildFirings.ts';
import { isTemporal, readRules } from '../../records/rules/notificationTemplate.ts';
import { occasionOfInterval, occasionOfStay } from '../../records/rules/occasion.ts';
import { findDue } from '../../records/rules/temporalPlan.ts';
import { releaseFirst, releaseNow } from '../publisher/releaseEvents.ts';
import { createDailyAllowance, type DailyAllowance } from './dailyAllowance.ts';
import { type ChainClock, type DueRow, hasWaitedEnough, takeDueSchedules } from './dueSchedules.ts';
import { releaseFirstMails } from './releaseMails.ts';
import { numberOf, spanOf } from './spanRow.ts';
import { storeFirings } from './storeFirings.ts';

/** Any constant works; with the chain's id it names the lock for firing a chain's rules. */
const ruleLock = 0x72756c65;
/** A batch ends after about this many firings and deliveries: it holds the feeds of its principals. */
const rowsAtOnce = 2_000;
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
  const { rows, next } = await takeDueSchedules(transaction, { chainId, clock, after });
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
    if (!isConfirmed && !hasWaitedEnough(row, clock)) continue;
    const { nextNumber, count, deliveries } = await fire(transaction, row, {
      ...options,
      variables,
      mailAllowance,
    });
    firings += count;
    stored += count + deliveries;
    await transaction.execute(sql`
      update service.rule_schedules set next_number = ${nextNumber}
      where record_id = ${row.record_id} and rule_id = ${row.rule_id} and span = ${row.span}`);
    fired.push(row);
    if (stored >= rowsAtOnce) break;
  }
  const lastFired = stored >= rowsAtOnce ? fired.at(-1) : undefined;
  return { schedules: fired.length, firings, next: lastFired?.owner ?? next };
}

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
): Promise<{ nextNumber: number; count: number; deliveries: number }> {
  const span = spanOf(row);
  const nextNumber = Number(row.next_number);
  const due = findDue(span, { nowMs: clock.nowMs, untilMs: numberOf(row.until_ms), nextNumber });
  const { templateId, rules } = readRules(row.notification_template);
  const rule = rules.find((candidate) => candidate.id === row.rule_id);
  // A fold has just ended the span. A reorganisation may take that back, and then nothing was missed.
  if (!due) return { nextNumber, count: 0, deliveries: 0 };
  const passed = due.number + 1;
  if (!rule || !isTemporal(rule)) return { nextNumber: passed, count: 0, deliveries: 0 };
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
  return { nextNumber: passed, count: stored.length, deliveries };
}
