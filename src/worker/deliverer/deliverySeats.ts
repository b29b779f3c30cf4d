import type pg from 'pg';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { DeliveryStatus, deliveries, deliverySeats } from '../../platform/database/tables/webhooks.ts';
import { isInForce } from '../leases/workerLease.ts';

/** Seats of live workers stay with them. A subscription that is just being removed gets none. */
const takeStatement = `
  insert into service.delivery_seats as seat (subscription_id, worker_id)
  select id, $1 from service.webhook_subscriptions where id = any($2::text[]) order by id for key share skip locked
  on conflict (subscription_id) do update set worker_id = excluded.worker_id
    where seat.worker_id = excluded.worker_id or not exists (
      select 1 from service.worker_leases where id = seat.worker_id and ${isInForce})
  returning subscription_id as id`;

const leaveStatement = `
  delete from service.delivery_seats where worker_id = $1 and subscription_id = any($2::text[])`;

/** Each subscription with such deliveries, and its first one, is found by one step in the index. */
const walk = (name: string, { status, order }: { status: DeliveryStatus; order: string }) => {
  const nextOf = (position: string) => `
    select subscription_id as id, ${order} as due from service.deliveries
    where status = '${status}' and ${position} order by subscription_id, ${order} limit 1`;
  return `${name} as (
    (${nextOf('true')})
    union all
    select next.* from ${name} cross join lateral (${nextOf(`subscription_id > ${name}.id`)}) as next)`;
};

/**
 * Includes waiting deliveries of disabled subscriptions. Reads a row or two for each subscription that has
 * something waiting, however much it is, and nothing of the others.
 */
const findStatement = `
  with recursive ${walk('firsts', { status: 'pending', order: 'position' })},
  ${walk('retries', { status: 'retry_pending', order: 'next_attempt_at' })}
  select id from (select id from firsts union select id from retries where due <= $2) as subscription
  where not exists (
    select 1 from service.delivery_seats join service.worker_leases lease on lease.id = worker_id
    where subscription_id = subscription.id and worker_id <> $1 and ${isInForce})`;

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
  const rows = await runPrepared<RowAs<typeof deliveries, { id: 'subscription_id' }>>(pool, findStatement, [
    workerId,
    now,
  ]);
  return rows.map(({ id }) => id);
}
