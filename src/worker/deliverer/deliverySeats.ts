import type pg from 'pg';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { deliverySeats, webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';

/** Seats of live workers stay with them. */
const takeStatement = `
  insert into service.delivery_seats as seat (subscription_id, worker_id)
  select id, $1 from service.webhook_subscriptions where id = any($2::text[]) order by id
  on conflict (subscription_id) do update set worker_id = excluded.worker_id
    where seat.worker_id = excluded.worker_id or not exists (
      select 1 from service.worker_leases where id = seat.worker_id and lease_until > now())
  returning subscription_id as id`;

const leaveStatement = `
  delete from service.delivery_seats where worker_id = $1 and subscription_id = any($2::text[])`;

/** Includes waiting deliveries of disabled subscriptions. */
const findStatement = `
  select id from service.webhook_subscriptions as subscription
  where (
    exists (select 1 from service.deliveries where subscription_id = subscription.id and status = 'pending')
    or exists (select 1 from service.deliveries
      where subscription_id = subscription.id and status = 'retry_pending' and next_attempt_at <= $2)
  ) and not exists (
    select 1 from service.delivery_seats join service.worker_leases lease on lease.id = worker_id
    where subscription_id = subscription.id and worker_id <> $1 and lease_until > now())`;

/** Makes this worker serve subscriptions with due deliveries; returns those that are now its own. */
export async function takeSeats(pool: pg.Pool, workerId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await runPrepared<RowAs<typeof deliverySeats, { id: 'subscription_id' }>>(
    pool,
    takeStatement,
    [workerId, ids],
  );
  return rows.map(({ id }) => id);
}

/** Gives subscriptions up to other workers. */
export async function leaveSeats(pool: pg.Pool, workerId: string, ids: readonly string[]): Promise<void> {
  await runPrepared(pool, leaveStatement, [workerId, ids]);
}

/** Subscriptions that have something due at a time and that no other worker serves. */
export async function findDueSubscriptions(pool: pg.Pool, workerId: string, now: Date): Promise<string[]> {
  const rows = await runPrepared<RowOf<typeof webhookSubscriptions, 'id'>>(pool, findStatement, [
    workerId,
    now,
  ]);
  return rows.map(({ id }) => id);
}
