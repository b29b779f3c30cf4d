import { createHmac } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { leaveSeats, takeSeats } from '../../src/worker/deliverer/deliverySeats.ts';
import { createDeliveryWorld, type DeliveryWorld } from '../support/deliveryWorld.ts';
import { type Answer, accept, type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: DeliveryWorld;
const receivers: Receiver[] = [];

beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterEach(async () => {
  await world.reset();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(() => world.close());

async function receive(answer?: Answer, host?: string): Promise<Receiver> {
  const receiver = await startReceiver(answer, host === undefined ? {} : { host });
  receivers.push(receiver);
  return receiver;
}

/** Plans a delivery without a notification. */
async function insertUnheard(subscriptionId: string, name: string): Promise<void> {
  await world.pool.query(
    `insert into service.events (id, principal_id, type, body, state)
    values ($2, $1, 'webhook.test', '{}', 'released')`,
    [world.principalId, `evt_${name}`],
  );
  await world.pool.query(
    `insert into service.deliveries (id, subscription_id, event_id) values ($1, $2, $3)`,
    [`dlv_${name}`, subscriptionId, `evt_${name}`],
  );
}

const isSucceeded = ({ status }: { status: string }) => status === 'succeeded';

test('an event is posted as its stored bytes, signed by both families of headers', async () => {
  const receiver = await receive();
  const { id, secret } = await world.subscribe(receiver.url);
  const [eventId = ''] = await world.release([await world.createRecord()]);
  await world.startDeliverer();
  await world.awaitDeliveries(id, isSucceeded);

  const [request] = receiver.received;
  if (!request) throw new Error('nothing was received');
  expect(receiver.received).toHaveLength(1);
  const { rows } = await world.pool.query('select body from service.events where id = $1', [eventId]);
  expect(request.body.equals(Buffer.from(rows[0]?.body, 'utf8'))).toBe(true);
  expect(request).toMatchObject({ method: 'POST', path: '/hook' });
  expect(request.headers['content-type']).toBe('application/json');
  expect(request.headers['user-agent']).toMatch(/^agreements-service-webhooks\//);
  expect(request.headers['x-svc-webhook-id']).toBe(eventId);
  expect(request.headers['webhook-id']).toBe(eventId);

  const timestamp = request.headers['x-svc-webhook-timestamp'];
  expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(60);
  const expected = createHmac('sha256', Buffer.from(secret, 'utf8'))
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), request.body]))
    .digest('hex');
  expect(request.headers['x-svc-webhook-signature']).toBe(`sha256=${expected}`);

  const headers = {
    'webhook-id': String(request.headers['webhook-id']),
    'webhook-timestamp': String(request.headers['webhook-timestamp']),
    'webhook-signature': String(request.headers['webhook-signature']),
  };
  expect(new Webhook(secret).verify(request.body, headers)).toMatchObject({ id: eventId });
  const changed = Buffer.concat([request.body, Buffer.from(' ')]);
  expect(() => new Webhook(secret).verify(changed, headers)).toThrow('No matching signature');
});

test('while a rotation has its grace the own header is signed with the old secret and the standard one with both', async () => {
  const receiver = await receive();
  const before = await world.subscribe(receiver.url);
  const after = await world.subscribe(receiver.url);
  await world.pool.query(
    `update service.webhook_subscriptions set previous_secret = secret, previous_secret_until = now() + interval '1 hour'
    where id = $1`,
    [before.id],
  );
  const current = `whsec_${'ab'.repeat(32)}`;
  await world.pool.query('update service.webhook_subscriptions set secret = $2 where id = $1', [
    before.id,
    world.cipher.encrypt(current, `webhook_subscription:${before.id}`),
  ]);
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled' where id = $1`, [
    after.id,
  ]);
  await world.release([await world.createRecord()]);
  await world.startDeliverer();
  await world.awaitDeliveries(before.id, isSucceeded);
  const [request] = receiver.received;
  const own = createHmac('sha256', before.secret)
    .update(`${request?.headers['x-svc-webhook-timestamp']}.`)
    .update(request?.body ?? '')
    .digest('hex');
  expect(request?.headers['x-svc-webhook-signature']).toBe(`sha256=${own}`);
  const headers = {
    'webhook-id': String(request?.headers['webhook-id']),
    'webhook-timestamp': String(request?.headers['webhook-timestamp']),
    'webhook-signature': String(request?.headers['webhook-signature']),
  };
  for (const secret of [before.secret, current])
    expect(() => new Webhook(secret).verify(request?.body ?? '', headers)).not.toThrow();
  expect(receiver.received).toHaveLength(1);
});

test('first attempts of one record go out in the order of its events, one at a time, from two workers too', async () => {
  const open = new Set<string>();
  const early: string[] = [];
  const receiver = await receive((response, { body }) => {
    const { id, data } = JSON.parse(body.toString());
    if (open.has(data.agreementId)) early.push(id);
    open.add(data.agreementId);
    // The answers for one record come while those for others are still to come.
    const answerMs = 3 + 5 * records.indexOf(data.agreementId);
    setTimeout(() => {
      open.delete(data.agreementId);
      response.end();
    }, answerMs);
  });
  const { id } = await world.subscribe(receiver.url);
  const records = await Promise.all(Array.from({ length: 4 }, () => world.createRecord()));
  const released: string[] = [];
  // Without another look: they hear of each release.
  await world.startDeliverer({ pollMs: 600_000 });
  await world.startDeliverer({ pollMs: 600_000 });
  for (let round = 0; round < 15; round++) released.push(...(await world.release(records)));
  await world.awaitDeliveries(id, isSucceeded);
  const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  for (const [at] of records.entries()) {
    const own = released.filter((_, index) => index % records.length === at);
    expect(ids.filter((eventId) => own.includes(eventId))).toEqual(own);
  }
  expect(ids).toHaveLength(60);
  expect(early).toEqual([]);
});

test('a delivery that has to be retried holds no later event of its record back', async () => {
  const failing = new Set<string>();
  const receiver = await receive((response, { headers }) => {
    response.statusCode = failing.has(String(headers['webhook-id'])) ? 500 : 200;
    response.end();
  });
  const { id } = await world.subscribe(receiver.url);
  const record = await world.createRecord();
  const [first = ''] = await world.release([record]);
  failing.add(first);
  await world.release([record, record]);
  // Each attempt begins when the one before it has ended, without another look.
  await world.startDeliverer({ pollMs: 600_000 });
  const rows = await world.awaitDeliveries(id, ({ status }) => status !== 'pending');
  expect(rows.map(({ status }) => status)).toEqual(['retry_pending', 'succeeded', 'succeeded']);
});

test('a receiver that never answers and one that is slow hold no other subscription back', async () => {
  const dead = await receive(() => {}, '127.0.0.2');
  const slow = await receive((response) => void setTimeout(() => response.end(), 1_000), '127.0.0.3');
  const good = await receive(accept, '127.0.0.4');
  const subscriptions = [];
  for (const { url } of [dead, slow, good]) subscriptions.push(await world.subscribe(url));
  const [, , healthy] = subscriptions;
  const records = await Promise.all(Array.from({ length: 30 }, () => world.createRecord()));
  await world.startDeliverer({ with: { timeoutMs: 600_000 } });
  await world.release(records);
  await waitUntil('the dead one has as much under way as it may', () => dead.received.length === 10);
  await world.awaitDeliveries(healthy?.id ?? '', isSucceeded);
  expect(dead.received).toHaveLength(10);
  expect(good.received).toHaveLength(30);
});

test('no more is under way to one host than its limit, over all its subscriptions', async () => {
  const receiver = await receive((response) => void setTimeout(() => response.end(), 20));
  const other = await receive((response) => void setTimeout(() => response.end(), 20));
  const [one, two] = [await world.subscribe(receiver.url), await world.subscribe(other.url)];
  await world.release(await Promise.all(Array.from({ length: 20 }, () => world.createRecord())));
  await world.startDeliverer({ with: { perHost: 3 } });
  await world.awaitDeliveries(one.id, isSucceeded);
  await world.awaitDeliveries(two.id, isSucceeded);
  expect(receiver.mostAtOnce() + other.mostAtOnce()).toBeLessThanOrEqual(6);
  expect(Math.max(receiver.mostAtOnce(), other.mostAtOnce())).toBeLessThanOrEqual(3);
});

test('the backlogs of two principals at a host delay no third one', async () => {
  const held: (() => void)[] = [];
  let isHolding = true;
  const shared = await receive((response) => {
    if (isHolding) held.push(() => response.end());
    else response.end();
  });
  const begin = async (note: string) => {
    const principal = await world.addPrincipal();
    const { id } = await principal.subscribe(shared.url);
    const records = await Promise.all(Array.from({ length: 20 }, () => principal.createRecord()));
    return { id, release: () => principal.release(records, { note }) };
  };
  const [one, two, late] = [await begin('backlog'), await begin('backlog'), await begin('late')];
  await Promise.all([one.release(), two.release()]);
  await world.startDeliverer({ with: { perHost: 4 } });
  await waitUntil('the backlogs have all places', () => held.length === 4);
  await late.release();
  await waitUntil('the worker serves the third one', async () => {
    const seats = await world.pool.query('select from service.delivery_seats where subscription_id = $1', [
      late.id,
    ]);
    return seats.rowCount === 1;
  });
  for (let place = 1; place <= 3; place++) {
    held.shift()?.();
    await waitUntil('the place is taken again', () => shared.received.length === 4 + place);
  }
  isHolding = false;
  for (const end of held) end();
  expect(shared.received.slice(4, 7).some(({ body }) => body.includes('late'))).toBe(true);
  for (const { id } of [one, two, late]) await world.awaitDeliveries(id, isSucceeded);
  expect(shared.received).toHaveLength(60);
});

test('an event whose notification was lost is still found', async () => {
  const receiver = await receive();
  const { id } = await world.subscribe(receiver.url);
  await world.startDeliverer();
  await insertUnheard(id, 'unheard');
  await world.awaitDeliveries(id, isSucceeded);
  expect(receiver.received.map(({ body }) => body.toString())).toEqual(['{}']);
});

test('a worker serves a subscription whose seat it could not give back', async () => {
  const receiver = await receive();
  const { id } = await world.subscribe(receiver.url);
  await world.startDeliverer();
  await world.pool.query(
    `insert into service.delivery_seats (subscription_id, worker_id)
    select $1, id from service.worker_leases where lease_until > now()`,
    [id],
  );
  await insertUnheard(id, 'seated');
  await world.awaitDeliveries(id, isSucceeded);
  expect(receiver.received).toHaveLength(1);
});

test('a seat stays with a live worker, whoever else asks for it or gives it up', async () => {
  const { pool } = world;
  const { id } = await world.subscribe('http://127.0.0.1:9/never');
  const lease = (worker: string, minutes: number) =>
    pool.query(
      `insert into service.worker_leases (id, lease_until) values ($1, now() + $2::int * interval '1 minute')
      on conflict (id) do update set lease_until = excluded.lease_until`,
      [worker, minutes],
    );
  await lease('seated', 4);
  await lease('other', 4);
  expect(await takeSeats(pool, 'seated', [id])).toEqual([id]);
  expect(await takeSeats(pool, 'other', [id])).toEqual([]);
  await leaveSeats(pool, 'other', [id]);
  expect(await takeSeats(pool, 'other', [id])).toEqual([]);
  expect(await takeSeats(pool, 'seated', [id])).toEqual([id]);
  await lease('seated', -1);
  expect(await takeSeats(pool, 'other', [id])).toEqual([id]);
  await pool.query(`delete from service.worker_leases where id in ('seated', 'other')`);
});

test('a worker that loses its lease ends what is under way before the delivery is attempted again', async () => {
  const answers: (() => void)[] = [];
  const receiver = await receive((response) => answers.push(() => response.end()));
  const { id } = await world.subscribe(receiver.url);
  await world.release([await world.createRecord()]);
  await world.startDeliverer({ leaseMs: 6_000, with: { timeoutMs: 600_000 } });
  await waitUntil('the first attempt is there', () => answers.length > 0);
  await world.pool.query(`update service.worker_leases set lease_until = now() - interval '1 s'`);
  await waitUntil('it is attempted again', () => answers.length > 1);
  const { rowCount } = await world.pool.query(
    `select from service.delivery_seats join service.worker_leases lease on lease.id = worker_id
    where subscription_id = $1`,
    [id],
  );
  for (const answer of answers) answer();
  // Only under a lease of its own: other workers would take the subscription from any other id.
  expect(rowCount).toBe(1);
  const [row] = await world.awaitDeliveries(id, isSucceeded);
  expect(row?.attempt_count).toBe(1);
  expect(receiver.mostAtOnce()).toBe(1);
});

test('a worker that is closed waits for what is under way, and stores its result', async () => {
  const held: (() => void)[] = [];
  const receiver = await receive((response) => held.push(() => response.end()));
  const { id } = await world.subscribe(receiver.url);
  await world.release([await world.createRecord()]);
  const deliverer = await world.startDeliverer();
  await waitUntil('the attempt is there', () => held.length === 1);
  const closing = deliverer.close();
  await waitUntil('the worker listens no more', async () => {
    const { rowCount } = await world.pool.query(
      `select from pg_stat_activity
      where datname = current_database() and application_name = 'agreements listener'`,
    );
    return rowCount === 0;
  });
  // A worker that did not wait would be through with its few statements before these.
  for (let round = 0; round < 30; round++) await world.pool.query('select pg_sleep(0)');
  held[0]?.();
  await closing;
  expect(await world.readDeliveries(id)).toMatchObject([{ status: 'succeeded', attempt_count: 1 }]);
  expect(receiver.received).toHaveLength(1);
});

test('a test is delivered at once however many events wait, and announced when it was attempted', async () => {
  const tested: string[] = [];
  const receiver = await receive((response, { headers }) => {
    const eventId = String(headers['webhook-id']);
    if (!eventId.startsWith('evt_tried')) return;
    tested.push(eventId);
    response.end();
  });
  const { id } = await world.subscribe(receiver.url);
  await world.release(await Promise.all(Array.from({ length: 100 }, () => world.createRecord())));
  const listener = await world.pool.connect();
  const announced: string[] = [];
  listener.on('notification', ({ payload }) => announced.push(payload ?? ''));
  await listener.query('listen delivery_changed');
  await world.pool.query(
    `insert into service.events (id, principal_id, type, body, state)
    values ('evt_tried', $1, 'webhook.test', '{}', 'released')`,
    [world.principalId],
  );
  await world.pool.query(
    `insert into service.deliveries (id, subscription_id, event_id, attempt_limit) values ('dlv_tried', $1, 'evt_tried', 5)`,
    [id],
  );
  await world.startDeliverer({ with: { timeoutMs: 600_000 } });
  await waitUntil('the test is announced', () => announced.includes('dlv_tried'));
  expect(tested).toEqual(['evt_tried']);
  listener.release(true);
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled' where id = $1`, [id]);
});

test('what waits for a subscription that was disabled fails without being sent', async () => {
  const receiver = await receive((response) => response.writeHead(503).end());
  const { id } = await world.subscribe(receiver.url);
  const record = await world.createRecord();
  let now = Date.now();
  await world.release([record]);
  await world.startDeliverer({ now: () => now });
  await world.awaitDeliveries(id, ({ status }) => status === 'retry_pending');
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled' where id = $1`, [id]);
  now += 60_000_000;
  const [row] = await world.awaitDeliveries(id, ({ status }) => status === 'failed');
  expect(row).toMatchObject({ attempt_count: 1, error: 'the subscription is disabled' });
  expect(receiver.received).toHaveLength(1);
});

test('what is under way when its subscription is disabled goes on, and what waits behind it fails', async () => {
  const held: (() => void)[] = [];
  const receiver = await receive((response) => held.push(() => response.end()));
  const { id } = await world.subscribe(receiver.url);
  const record = await world.createRecord();
  await world.release([record, record]);
  await world.startDeliverer();
  await waitUntil('the first one is under way', () => held.length === 1);
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled' where id = $1`, [id]);
  await world.wake(id);
  const readStatuses = async () => (await world.readDeliveries(id)).map(({ status }) => status);
  await waitUntil('the second one fails', async () => (await readStatuses())[1] === 'failed');
  expect(await readStatuses()).toEqual(['pending', 'failed']);
  held[0]?.();
  await waitUntil('the first one arrives', async () => (await readStatuses())[0] === 'succeeded');
});

test('however much waits for a subscription that was disabled fails without a further look, and others are served', async () => {
  const receiver = await receive();
  const { id } = await world.subscribe(receiver.url);
  await world.pool.query(
    `insert into service.events (id, principal_id, type, body, state)
    select 'evt_heap' || at, $1, 'webhook.test', '{}', 'released' from generate_series(1, 5000) as at`,
    [world.principalId],
  );
  await world.pool.query(
    `insert into service.deliveries (id, subscription_id, event_id, status, next_attempt_at)
    select 'dlv_heap' || at, $1, 'evt_heap' || at, case when at % 2 = 0 then 'pending' else 'retry_pending' end,
      case when at % 2 = 1 then now() + interval '1 hour' end
    from generate_series(1, 5000) as at`,
    [id],
  );
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled' where id = $1`, [id]);
  const other = await world.subscribe(receiver.url);
  await world.release([await world.createRecord()]);
  await world.startDeliverer({ pollMs: 600_000 });
  await world.awaitDeliveries(other.id, isSucceeded);
  await world.awaitDeliveries(id, ({ status, error }) => status === 'failed' && error !== null);
  expect(receiver.received).toHaveLength(1);
});

test('an event for a subscription that is active again is sent, though a worker has just seen it disabled', async () => {
  const receiver = await receive();
  const { id } = await world.subscribe(receiver.url);
  const setStatus = (status: string) =>
    world.pool.query('update service.webhook_subscriptions set status = $2 where id = $1', [id, status]);
  const record = await world.createRecord();
  const [before = ''] = await world.release([record]);
  await setStatus('disabled');
  await world.database.transaction(async (lock) => {
    await lock.execute('lock table service.deliveries in share mode');
    await world.startDeliverer();
    await waitUntil('the worker is about to give up what waits', async () => {
      const { rowCount } = await world.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and application_name = 'deliverer'
          and wait_event_type = 'Lock' and query like '%status = ''failed''%'`,
      );
      return rowCount === 1;
    });
    await setStatus('active');
    await lock.execute(sql`update service.deliveries set status = 'failed' where event_id = ${before}`);
    await lock.execute(sql`insert into service.events (id, principal_id, type, body, state)
      values ('evt_again', ${world.principalId}, 'webhook.test', '{}', 'released')`);
    await lock.execute(sql`insert into service.deliveries (id, subscription_id, event_id)
      values ('dlv_again', ${id}, 'evt_again')`);
  });
  await waitUntil('it is sent', () => receiver.received.length > 0);
  await world.awaitDeliveries(id, ({ status }) => status !== 'pending');
  expect((await world.readDeliveries(id)).map(({ status }) => status).toSorted()).toEqual([
    'failed',
    'succeeded',
  ]);
});

test('events go to the active subscriptions that want them and to no other', async () => {
  const receiver = await receive();
  const [all, some, none, off] = [
    await world.subscribe(receiver.url),
    await world.subscribe(receiver.url, { toStates: ['DONE'] }),
    await world.subscribe(receiver.url, { toStates: ['ELSEWHERE'] }),
    await world.subscribe(receiver.url),
  ];
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled' where id = $1`, [
    off.id,
  ]);
  await world.release([await world.createRecord()], { toState: 'DONE' });
  const counts = [];
  for (const { id } of [all, some, none, off]) counts.push((await world.readDeliveries(id)).length);
  expect(counts).toEqual([1, 1, 0, 0]);
});

test('a subscription says when it last succeeded and failed, and how often in a row', async () => {
  let status = 500;
  const receiver = await receive((response) => response.writeHead(status).end());
  const { id } = await world.subscribe(receiver.url);
  const record = await world.createRecord();
  await world.startDeliverer();
  await world.release([record, record, record]);
  await world.awaitDeliveries(id, ({ status: reached }) => reached === 'retry_pending');
  const failing = await waitUntil('all three are counted', async () => {
    const found = await world.readSubscription(id);
    return found.failures_in_row === 3 && found;
  });
  expect(failing.last_success_at).toBeNull();
  status = 200;
  await world.release([record]);
  await waitUntil('it counts from 0 again', async () => {
    const found = await world.readSubscription(id);
    return found.failures_in_row === 0 && found.last_success_at !== null && found.last_failure_at !== null;
  });
});
