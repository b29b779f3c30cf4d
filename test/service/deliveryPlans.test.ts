import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readWebhookSettings } from '../../src/platform/config/webhookSettings.ts';
import { drizzleOptions } from '../../src/platform/database/database.ts';
import { planByIndexes } from '../../src/platform/database/sessionSettings.ts';
import { failWaiting } from '../../src/records/webhooks/failWaiting.ts';
import { updateSubscription } from '../../src/records/webhooks/updateSubscription.ts';
import { readBodies } from '../../src/worker/deliverer/deliveryBodies.ts';
import { findDueSubscriptions, leaveSeats, takeSeats } from '../../src/worker/deliverer/deliverySeats.ts';
import { findDueDeliveries, readSubscriptions } from '../../src/worker/deliverer/dueDeliveries.ts';
import { recordResults } from '../../src/worker/deliverer/recordResults.ts';
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

describe.each(['uncounted', 'counted', 'left empty', 'small'])(
  'planned once, for tables that are %s,',
  (state) => {
    const delivered = 20_000;
    const principals = 20;
    let grown: DeliveryWorld;
    let explained: ExplainedPool;
    let records: string[];
    /** Of different principals; the first has a heap of everything, and the last one is disabled. */
    let ids: string[];
    beforeAll(async () => {
      grown = await createDeliveryWorld();
      const { rows: tables } = await grown.pool.query<{ name: string }>(
        `select schemaname || '.' || relname as name from pg_stat_user_tables where schemaname = 'service'`,
      );
      for (const { name } of tables)
        await grown.pool.query(`alter table ${name} set (autovacuum_enabled = off)`);
      records = await Promise.all(Array.from({ length: 10 }, () => grown.createRecord()));
      const owners = await Promise.all(Array.from({ length: principals }, () => grown.addPrincipal()));
      ids = (await Promise.all(owners.map((owner) => owner.subscribe(url)))).map(({ id }) => id);
      if (state === 'small') await fill('few', { count: 50, status: 'succeeded', to: ids });
      if (state === 'left empty') {
        await fill('first', { count: 5_000, status: 'pending', to: ids });
        await grown.pool.query(
          `update service.deliveries set status = 'retry_pending', next_attempt_at = now()`,
        );
        await grown.pool.query('delete from service.deliveries');
        await grown.pool.query('delete from service.events');
      }
      if (state !== 'uncounted')
        for (const { name } of tables) await grown.pool.query(`vacuum (analyze) ${name}`);
      explained = createExplainedPool(grown.databaseUrl, planByIndexes);
    });
    afterAll(async () => {
      await explained.pool.end();
      await grown.close();
    });

    /** Deliveries to each subscription in turn, and their events. */
    async function fill(
      name: string,
      {
        count,
        status,
        isTest = false,
        to,
      }: { count: number; status: string; isTest?: boolean; to: readonly string[] },
    ): Promise<void> {
      await grown.pool.query(
        `insert into service.event_parts (id, text) select 'evp_' || $1 || at, '{}' from generate_series(1, $2::int) as at`,
        [name, count],
      );
      await grown.pool.query(
        `insert into service.events (id, principal_id, type, body, state, notification_part_id, variables_part_id)
      select 'evt_' || $1 || at, $2, 'webhook.test', '{', 'released', 'evp_' || $1 || at, 'evp_' || $1 || $3::int + 1 - at
      from generate_series(1, $3::int) as at`,
        [name, grown.principalId, count],
      );
      await grown.pool.query(
        `insert into service.deliveries
        (id, subscription_id, event_id, record_id, status, position, next_attempt_at, created_at)
      select 'dlv_' || $1 || at, ($3::text[])[at % cardinality($3) + 1], 'evt_' || $1 || at,
        case when not $6 then ($4::text[])[at % 7 + 1] end, $5::text, case when not $6 then at end,
        case when $5 = 'retry_pending' then now() - at * interval '1 second' end, now() - at * interval '1 second'
      from generate_series(1, $2::int) as at`,
        [name, count, to, records, status, isTest],
      );
    }

    /** Runs each statement of the deliverer once. Returns how many rows each has read. */
    async function deliverOnce() {
      const { pool } = explained;
      const now = new Date();
      const read: Record<string, { rowsRead: number; plan: string }> = {};
      const note = async <Result>(name: string, work: Promise<Result>) => {
        const result = await work;
        read[name] = findWorst(explained.takeEfforts());
        return result;
      };
      explained.takeEfforts();
      const found = await note('look', findDueSubscriptions(pool, 'this one', now));
      await note('take', takeSeats(pool, 'this one', ids));
      const options = {
        wanted: ids.slice(0, -1).map((id) => ({ id, free: 4, roundAfter: '', isRoundNext: false })),
        inFlight: ['dlv_pending1'],
        now,
      };
      const due = await note('due', findDueDeliveries(pool, options));
      expect(due).toEqual(await findDueDeliveries(grown.pool, options));
      await note('settings', readSubscriptions(pool, ids));
      const chosen = due.filter((_, at) => at % 10 === 0);
      const eventIds = chosen.length > 0 ? chosen.map(({ eventId }) => eventId) : ['evt_none'];
      await note('bodies', readBodies(pool, eventIds));
      const none = { id: 'dlv_none', subscriptionId: 'wh_none', attemptCount: 0, dueAt: null };
      const results = (chosen.length > 0 ? chosen : [none]).map((delivery) => ({
        deliveryId: delivery.id,
        subscriptionId: delivery.subscriptionId,
        number: delivery.attemptCount + 1,
        dueAt: delivery.dueAt,
        startedAt: now,
        endedAt: now,
        outcome: { durationMs: 1, responseStatus: 204, responseExcerpt: undefined, error: undefined },
        verdict: { status: 'succeeded' as const, nextAttemptAt: null },
        error: undefined,
      }));
      await note('record', recordResults(pool, results));
      const waiting = { subscriptionIds: ids.slice(-1), inFlight: ['dlv_none'], now };
      await note('give up', failWaiting(drizzle(pool, drizzleOptions), waiting));
      await note('leave', leaveSeats(pool, 'this one', ids));
      return { found: found.length, due: due.length, chosen: chosen.length, read };
    }

    test('the statements of the deliverer read a few rows for each that they want, once the tables have grown', async () => {
      await deliverOnce();
      const heap = ids.slice(0, 1);
      await fill('delivered', { count: delivered, status: 'succeeded', to: ids });
      await fill('heap', { count: 2_000, status: 'pending', to: heap });
      await fill('heapOfTests', { count: 2_000, status: 'pending', isTest: true, to: heap });
      await fill('heapOfRetries', { count: 2_000, status: 'retry_pending', to: heap });
      await fill('pending', { count: 12 * principals, status: 'pending', to: ids });
      await fill('tests', { count: 6 * principals, status: 'pending', isTest: true, to: ids });
      await fill('retries', { count: 6 * principals, status: 'retry_pending', to: ids });
      await grown.pool.query(`update service.webhook_subscriptions set status = 'disabled' where id = $1`, [
        ids.at(-1),
      ]);
      const { found, due, chosen, read } = await deliverOnce();
      expect({ found, due, chosen }).toEqual({ found: principals, due: 12 * (principals - 1), chosen: 23 });
      const wanted = {
        look: principals,
        take: principals,
        due,
        settings: principals,
        bodies: chosen,
        record: chosen,
        'give up': 24,
        leave: principals,
      };
      for (const [name, count] of Object.entries(wanted)) {
        const { rowsRead, plan } = read[name] ?? {};
        expect(rowsRead, `${name}: ${plan}`).toBeLessThan(6 * count);
      }
    });
  },
);
