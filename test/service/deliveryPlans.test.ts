import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readWebhookSettings } from '../../src/platform/config/webhookSettings.ts';
import { drizzleOptions } from '../../src/platform/database/database.ts';
import { updateSubscription } from '../../src/records/webhooks/updateSubscription.ts';
import { findDueSubscriptions } from '../../src/worker/deliverer/deliverySeats.ts';
import { findDueDeliveries } from '../../src/worker/deliverer/dueDeliveries.ts';
import { createDeliveryWorld, type DeliveryWorld, loopbackRules } from '../support/deliveryWorld.ts';
import { createExplainedPool, type Effort, type ExplainedPool } from './support/explainedPool.ts';
import { freezeStatistics, planCases, prepareStatistics } from './support/planCases.ts';

/** Disabled subscriptions of one principal; what waits for one subscription. */
const disabled = 10_000;
const heap = 10_000;
const url = 'http://127.0.0.1:9/hook';
const modes = ['force_custom_plan', 'force_generic_plan', 'auto'];

/** The record with nearly all of a heap, and those behind it; more than are looked at together. */
let busy: string;
let others: string[];

let world: DeliveryWorld;
beforeAll(async () => {
  world = await createDeliveryWorld();
  [busy = '', ...others] = (
    await Promise.all(Array.from({ length: 101 }, () => world.createRecord()))
  ).toSorted();
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
  /** All are of the busy record, except for the last 500, which are of the others in turns. */
  isOfRecords?: boolean;
  /** When a retry is due, in seconds from now. */
  dueIn?: number;
};

/** So many deliveries wait for a subscription. */
async function pile(
  id: string,
  { count = heap, status, hasPosition = false, isOfRecords = false, dueIn = 0 }: Heap,
): Promise<void> {
  await world.pool.query(
    `insert into service.deliveries
      (id, subscription_id, event_id, record_id, status, position, next_attempt_at, created_at)
    select 'dlv_' || $1 || at, $1, 'evt_heap' || at,
      case when $6 then case when at <= $2::int - 500 then $7 else ($8::text[])[at % $9::int + 1] end end,
      $3::text, case when $4 then at end,
      case when $3 = 'retry_pending' then now() + $5::int * interval '1 second' end, now() - at * interval '1 second'
    from generate_series(1, $2::int) as at`,
    [id, count, status, hasPosition, dueIn, isOfRecords, busy, others, others.length],
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
      `insert into service.worker_leases (id, lease_until) values ('another', now() + interval '4 minutes')
      on conflict (id) do update set lease_until = excluded.lease_until`,
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
      wanted: [{ id, free: 2, roundAfter: '', isRoundNext: false }],
      inFlight,
      now: new Date(),
    });
    expect(due.map((delivery) => delivery.id)).toEqual([`dlv_${id}${heap - 10}`, `dlv_${id}${heap - 11}`]);
    const { rowsRead, rowsSorted, plan } = findWorst(explained.takeEfforts());
    expect(rowsRead, plan).toBeLessThan(100);
    expect(rowsSorted, plan).toBeLessThan(100);
  });
});

describe.each(planCases)(
  'going round the records, planned with $mode on $state statistics,',
  ({ mode, state }) => {
    let explained: ExplainedPool;
    beforeEach(() => {
      explained = createExplainedPool(world.databaseUrl, { plan_cache_mode: mode });
    });
    afterEach(() => end(explained));

    /** Looks for ten deliveries at a time, once round the records. Returns the found records and the largest effort. */
    async function goRound(id: string) {
      const found = new Set<string | null>();
      let roundAfter = '';
      explained.takeEfforts();
      for (let look = 0; look < 12; look++) {
        const due = await findDueDeliveries(explained.pool, {
          wanted: [{ id, free: 10, roundAfter, isRoundNext: look % 2 === 0 }],
          inFlight: [`dlv_${id}1`],
          now: new Date(),
        });
        for (const { recordId } of due) found.add(recordId);
        roundAfter = due.at(-1)?.recordId ?? '';
      }
      return { found, worst: findWorst(explained.takeEfforts()) };
    }

    test('a look reads a few rows, however many of one record are pending, and each other record is found', async () => {
      const [past, many, few] = [
        (await world.subscribe(url)).id,
        (await world.subscribe(url)).id,
        (await world.subscribe(url)).id,
      ];
      await pile(past, { status: 'pending', hasPosition: true, isOfRecords: true });
      await world.pool.query(`update service.deliveries set status = 'succeeded'`);
      await freezeStatistics(world.pool, ['service.deliveries']);
      await pile(many, { status: 'pending', hasPosition: true, isOfRecords: true });
      await pile(few, { count: 600, status: 'pending', hasPosition: true, isOfRecords: true });
      await prepareStatistics(world.pool, state, ['service.deliveries']);
      const [ofMany, ofFew] = [await goRound(many), await goRound(few)];
      for (const { found, worst } of [ofMany, ofFew]) {
        expect([...found].toSorted()).toEqual(others);
        expect(worst.rowsRead, worst.plan).toBeLessThan(120);
        expect(worst.rowsSorted, worst.plan).toBeLessThan(100);
        expect(worst.plan).not.toMatch(/Seq Scan [1-9]/);
      }
      expect(ofMany.worst.pages, ofMany.worst.plan).toBeLessThan(2 * ofFew.worst.pages);
    });
  },
);

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
    const { after } = await updateSubscription(
      { id, principalId: world.principalId },
      { status: 'active' },
      {
        database: drizzle(explained.pool, drizzleOptions),
        webhookSettings: { ...readWebhookSettings({}), subscriptions: 1_000 },
        targetRules: loopbackRules,
      },
    );
    expect(after.status).toBe('active');
    expect(new Set((await world.readDeliveries(id)).map((delivery) => delivery.status))).toEqual(
      new Set(['failed']),
    );
    const efforts = explained.takeEfforts();
    const { rowsRead, plan } = findWorst(efforts.filter((effort) => effort.plan.includes('ModifyTable')));
    expect(rowsRead, plan).toBeLessThan(5_000);
  });
});
