import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { faultPoints } from '../../src/platform/supervision/faultPoint.ts';
import { type DelivererProcess, startDelivererProcess } from '../support/delivererProcess.ts';
import { createDeliveryWorld, type DeliveryWorld } from '../support/deliveryWorld.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** One test starts and kills ten processes. That takes up to 15 seconds on an idle machine. */
vi.setConfig({ testTimeout: 180_000 });

let world: DeliveryWorld;
let receiver: Receiver;
const processes: DelivererProcess[] = [];

/** A lease so long that no other worker takes over, however slow the machine is. */
const longLeaseMs = 60_000;

/** The highest number of requests that were open for one event at the same time. */
let mostAtOnce = 0;
const open = new Map<string, number>();

beforeAll(async () => {
  world = await createDeliveryWorld();
  receiver = await startReceiver((response, { headers }) => {
    const id = String(headers['webhook-id']);
    const count = (open.get(id) ?? 0) + 1;
    open.set(id, count);
    mostAtOnce = Math.max(mostAtOnce, count);
    response.on('close', () => open.set(id, (open.get(id) ?? 1) - 1));
    setTimeout(() => response.end('ok'), 5);
  });
});
afterEach(async () => {
  await world.reset();
  for (const { child, ended } of processes.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled'`);
  receiver.received.length = 0;
  mostAtOnce = 0;
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

async function startProcess(
  options: Omit<Parameters<typeof startDelivererProcess>[0], 'databaseUrl'> = {},
): Promise<DelivererProcess> {
  const started = await startDelivererProcess({ databaseUrl: world.databaseUrl, ...options });
  processes.push(started);
  return started;
}

/** The received events, each once, in the order of their first arrival. */
function received(): string[] {
  return [...new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])))];
}

for (const point of faultPoints.delivery)
  test(`a worker that is killed at ${point} loses nothing, and another one goes on within seconds`, async () => {
    const { id } = await world.subscribe(receiver.url);
    const records = await Promise.all(Array.from({ length: 5 }, () => world.createRecord()));
    const { ended } = await startProcess({ fault: `${point}:4` });
    const released = [
      ...(await world.release(records)),
      ...(await world.release(records)),
      ...(await world.release(records)),
    ];
    expect(await ended).toBe('SIGKILL');
    await startProcess({ leaseMs: longLeaseMs });
    const rows = await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
    expect(rows).toHaveLength(15);
    expect(received().toSorted()).toEqual(released.toSorted());
    expect(mostAtOnce).toBe(1);
    for (const [at] of records.entries()) {
      const own = released.filter((_, index) => index % records.length === at);
      expect(received().filter((eventId) => own.includes(eventId))).toEqual(own);
    }
    for (const row of rows) {
      const attempts = await world.readAttempts(row.id);
      expect(attempts.map(({ number }) => number)).toEqual([1]);
      expect(row.attempt_count).toBe(1);
    }
  });

test('workers that are killed again and again deliver everything in the end', async () => {
  const { id } = await world.subscribe(receiver.url);
  const records = await Promise.all(Array.from({ length: 8 }, () => world.createRecord()));
  const released: string[] = [];
  await startProcess({ leaseMs: 2_500 });
  for (let round = 0; round < 5; round++) {
    released.push(...(await world.release(records)));
    const { child, ended } = await startProcess({ leaseMs: 2_500 });
    const before = receiver.received.length;
    released.push(...(await world.release(records)));
    await waitUntil('some is delivered', () => receiver.received.length > before + 2);
    const victim = round % 2 === 0 ? { child, ended } : processes.shift();
    victim?.child.kill('SIGKILL');
    await victim?.ended;
  }
  await startProcess({ leaseMs: longLeaseMs });
  await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
  expect(received().toSorted()).toEqual(released.toSorted());
  expect(mostAtOnce).toBe(1);
});

test("a worker that was frozen for longer than its lease leaves other workers' deliveries alone", async () => {
  const { id } = await world.subscribe(receiver.url);
  const record = await world.createRecord();
  const { child } = await startProcess({ leaseMs: 800 });
  await world.release([record]);
  await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
  child.kill('SIGSTOP');
  const more = await world.release(Array.from({ length: 20 }, () => record));
  await startProcess({ leaseMs: longLeaseMs });
  await waitUntil('the other one is at work', () => receiver.received.length > 3);
  child.kill('SIGCONT');
  await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
  expect(received().slice(1)).toEqual(more);
  expect(receiver.received).toHaveLength(21);
});

test('a worker that loses every connection to the database goes on with new ones', async () => {
  const { id } = await world.subscribe(receiver.url);
  const record = await world.createRecord();
  await startProcess();
  await world.release([record]);
  await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
  await world.pool
    .query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()')
    .catch(() => undefined);
  await waitUntil('the database is there again', () =>
    world.release([record]).then(
      () => true,
      () => false,
    ),
  );
  await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
});
