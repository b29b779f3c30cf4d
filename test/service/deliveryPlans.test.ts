import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readWebhookSettings } from '../../src/platform/config/webhookSettings.ts';
import { drizzleOptions } from '../../src/platform/database/database.ts';
import { updateSubscription } from '../../src/records/webhooks/updateSubscription.ts';
import { findDueSubscriptions } from '../../src/worker/deliverer/deliverySeats.ts';
import { findDueDeliveries } from '../../src/worker/deliverer/dueDeliveries.ts';
import { createDeliveryWorld, type DeliveryWorld, loopbackRules } from '../support/deliveryWorld.ts';
import { createExplainedPool, type Effort, type ExplainedPool } from './support/explainedPool.ts';

/** Disabled subscriptions of one principal; what waits for one subscription. */
const disabled = 10_000;
const heap = 10_000;
const url = 'http://127.0.0.1:9/hook';
const modes = ['force_custom_plan', 'force_generic_plan', 'auto'];

let world: DeliveryWorld;
beforeAll(async () => {
  world = await createDeliveryWorld();
  await world.pool.query(
    `insert into service.webhook_subscriptions (id, principal_id, url, event_types, secret, status)
    select 'wh_off' || lpad(at::text, 6, '0'), $1, $2, '[]', '', 'disabled' from generate_series(1, $3::int) as at`,
    [world.principalId, url, disabled],
  );
  await world.pool.query(
    `insert into service.events (id, principal_id, type, body, state)
    select 'evt_heap' || at, $1, 'webhook.test', '{}', 'released' from generate_series(1, $2::int) as at`,
    [world.principalId, heap],
  );
});
afterAll(() => world.close());

type Heap = {
  count?: number;
  status: 'pending' | 'retry_pending';
  /** Tests have none. */
  hasPosition?: boolean;
  /** When a retry is due, in seconds from now. */
  dueIn?: number;
};

/** So many deliveries wait for a subscription. */
async function pile(
  id: string,
  { count = heap, status, hasPosition = false, dueIn = 0 }: Heap,
): Promise<void> {
  await world.pool.query(
    `insert into service.deliveries (id, subscription_id, event_id, status, position, next_attempt_at, created_at)
    select 'dlv_' || $1 || at, $1, 'evt_heap' || at, $3::text, case when $4 then at end,
      case when $3 = 'retry_pending' then now() + $5::int * interval '1 second' end, now() - at * interval '1 second'
    from generate_series(1, $2::int) as at`,
    [id, count, status, hasPosition, dueIn],
  );
}

async function end(explained: ExplainedPool): Promise<void> {
  await world.reset();
  await explained.pool.end();
  await world.pool.query('truncate service.deliveries, service.delivery_seats cascade');
}

/** The statement that has read the most. */
function findWorst(efforts: readonly Effort[]): Effort {
  const [worst] = efforts.toSorted((one, other) => other.rowsRead - one.rowsRead);
  if (!worst) throw new Error('no statement was run');
  return worst;
}

describe.each(modes)('planned with %s,', (mode) => {
  let explained: ExplainedPool;
  beforeEach(() => {
    explained = createExplainedPool(world.databaseUrl, { plan_cache_mode: mode });
  });
  afterEach(() => end(explained));

  test('looking for what is due reads a few rows for each subscription with something waiting, and nothing of others', async () => {
    const [many, retried, later, served] = [
      (await world.subscribe(url)).id,
      (await world.subscribe(url)).id,
      (await world.subscribe(url)).id,
      (await world.subscribe(url)).id,
    ];
    await pile(many, { status: 'pending', hasPosition: true });
    await pile('wh_off001000', { count: 3, status: 'pending' });
    await pile(retried, { count: heap / 2, status: 'retry_pending' });
    await pile(later, { count: heap / 2, status: 'retry_pending', dueIn: 600 });
    await pile(served, { count: 5, status: 'pending' });
    await world.pool.query(
      `insert into service.worker_leases (id, lease_until) values ('another', now() + interval '1 hour') on conflict do nothing`,
    );
    await world.pool.query(
      `insert into service.delivery_seats (subscription_id, worker_id) values ($1, 'another')`,
      [served],
    );
    await world.pool.query('analyze');
    const found = await findDueSubscriptions(explained.pool, 'this one', new Date());
    expect(found.toSorted()).toEqual(['wh_off001000', many, retried].toSorted());
    const { rowsRead, plan } = findWorst(explained.takeEfforts());
    expect(rowsRead, plan).toBeLessThan(100);
  });

  test('tests that wait for a dead receiver are not put in order again at every pass', async () => {
    const { id } = await world.subscribe(url);
    await pile(id, { status: 'pending' });
    await world.pool.query('analyze');
    const inFlight = Array.from({ length: 10 }, (_, at) => `dlv_${id}${heap - at}`);
    const due = await findDueDeliveries(explained.pool, {
      wanted: [{ id, free: 2 }],
      inFlight,
      now: new Date(),
    });
    expect(due.map((delivery) => delivery.id)).toEqual([`dlv_${id}${heap - 10}`, `dlv_${id}${heap - 11}`]);
    const { rowsRead, rowsSorted, plan } = findWorst(explained.takeEfforts());
    expect(rowsRead, plan).toBeLessThan(100);
    expect(rowsSorted, plan).toBeLessThan(100);
  });
});

describe('what waits for a disabled subscription', () => {
  let explained: ExplainedPool;
  beforeEach(() => {
    // In tables this small it can be cheaper to read all.
    explained = createExplainedPool(world.databaseUrl, { enable_seqscan: 'off', enable_bitmapscan: 'off' });
  });
  afterEach(() => end(explained));

  test('fails in steps, of which each statement of a worker takes one', async () => {
    await pile('wh_off000007', { count: 5_000, status: 'pending', hasPosition: true });
    await pile('wh_off000008', { count: 5_000, status: 'retry_pending', dueIn: 600 });
    await world.pool.query('analyze');
    await world.startDeliverer({ pool: explained.pool });
    await world.wake('wh_off000008');
    for (const id of ['wh_off000007', 'wh_off000008'])
      await world.awaitDeliveries(id, ({ status }) => status === 'failed');
    const efforts = explained.takeEfforts();
    expect(efforts.length).toBeGreaterThan(10);
    const { rowsRead, plan } = findWorst(efforts.filter((effort) => effort.plan.includes('ModifyTable')));
    expect(rowsRead, plan).toBeLessThan(5_000);
  });

  test('fails in steps, of which each statement of the API takes one, when it is made active again', async () => {
    const id = 'wh_off000009';
    await pile(id, { count: 9_500, status: 'pending', hasPosition: true });
    await world.pool.query('analyze');
    const { status } = await updateSubscription(
      { id, principalId: world.principalId },
      { status: 'active' },
      {
        database: drizzle(explained.pool, drizzleOptions),
        webhookSettings: { ...readWebhookSettings({}), subscriptions: 1_000 },
        targetRules: loopbackRules,
      },
    );
    expect(status).toBe('active');
    expect(new Set((await world.readDeliveries(id)).map((delivery) => delivery.status))).toEqual(
      new Set(['failed']),
    );
    const efforts = explained.takeEfforts();
    const { rowsRead, plan } = findWorst(efforts.filter((effort) => effort.plan.includes('ModifyTable')));
    expect(rowsRead, plan).toBeLessThan(5_000);
  });
});
