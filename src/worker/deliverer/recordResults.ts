import type pg from 'pg';
import { channels } from '../../platform/database/channels.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { AttemptOutcome } from './attemptDelivery.ts';
import type { Verdict } from './retrySchedule.ts';

/** A finished attempt, and the resulting status of its delivery. */
export type AttemptResult = {
  deliveryId: string;
  subscriptionId: string;
  /** Counts from 1. */
  number: number;
  /** When the attempt became due, as in `DueDelivery`. */
  dueAt: string | null;
  startedAt: Date;
  endedAt: Date;
  outcome: AttemptOutcome;
  verdict: Verdict;
  error: string | undefined;
};

const isRenewed = `result.status <> 'succeeded' and delivery.next_attempt_at is not null
  and delivery.next_attempt_at is distinct from result.due_at`;

/**
 * An attempt is stored only if its delivery has one attempt less so far; results of another worker are left
 * alone. If somebody requested the delivery again during a failed attempt, it is due at once. A
 * subscription's status comes from the last of its attempts stored together, and is written at most once a
 * second without news.
 */
const recordStatement = `
  with result as (
    select * from json_to_recordset($1::json) as result (
      delivery_id text, subscription_id text, number int, due_at timestamptz, started_at timestamptz, ended_at timestamptz,
      duration_ms int, response_status int, response_excerpt text, error text, attempt_error text, status text,
      next_attempt_at timestamptz, place int)
  ), recorded as (
    update service.deliveries as delivery set
      status = case when ${isRenewed} then 'retry_pending' else result.status end,
      next_attempt_at = case when ${isRenewed} then ended_at else result.next_attempt_at end,
      completed_at = case when ${isRenewed} or result.status = 'retry_pending' then null else ended_at end,
      attempt_count = number, response_status = result.response_status, error = result.error, updated_at = ended_at
    from result where delivery.id = delivery_id and delivery.attempt_count = number - 1
      and delivery.id = any(array(select delivery_id from result))
    returning delivery.id, delivery.attempt_limit
  ), logged as (
    insert into service.delivery_attempts
      (delivery_id, number, started_at, duration_ms, response_status, response_excerpt, error)
    select delivery_id, number, started_at, duration_ms, response_status, response_excerpt, attempt_error
    from result join recorded on recorded.id = delivery_id order by place
  ), seen as (
    select subscription_id, max(ended_at) filter (where status = 'succeeded') as succeeded_at,
      max(ended_at) filter (where status <> 'succeeded') as failed_at,
      max(place) filter (where status = 'succeeded') as last_success,
      count(*)::int as attempts
    from result group by subscription_id
  ), counted as (
    select seen.*, (select count(*)::int from result
      where result.subscription_id = seen.subscription_id and place > coalesce(last_success, -1)) as failures
    from seen
  ), noted as (
    update service.webhook_subscriptions as subscription set
      last_success_at = coalesce(succeeded_at, last_success_at),
      last_failure_at = coalesce(failed_at, last_failure_at),
      failures_in_row = case when last_success is null then failures_in_row + failures else failures end
    from counted
    where subscription.id = counted.subscription_id and subscription.id = any(array(select subscription_id from seen)) and (
      failed_at is not null or failures_in_row > 0 or last_success_at is null
      or last_success_at < succeeded_at - interval '1 second')
  )
  select recorded.id, pg_notify('${channels.deliveryChanged}', recorded.id)::text
  from recorded where attempt_limit is not null`;

/** Stores attempts with their effects on deliveries and subscriptions, all or nothing. */
export async function recordResults(pool: pg.Pool, results: readonly AttemptResult[]): Promise<void> {
  const rows = results.map(({ outcome, verdict, ...result }, place) => ({
    delivery_id: result.deliveryId,
    subscription_id: result.subscriptionId,
    number: result.number,
    due_at: result.dueAt,
    started_at: result.startedAt,
    ended_at: result.endedAt,
    duration_ms: outcome.durationMs,
    response_status: outcome.responseStatus,
    response_excerpt: outcome.responseExcerpt,
    error: result.error,
    attempt_error: outcome.error ?? result.error,
    status: verdict.status,
    next_attempt_at: verdict.nextAttemptAt,
    place,
  }));
  await runPrepared(pool, recordStatement, [JSON.stringify(rows)]);
}
