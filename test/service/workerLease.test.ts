import pino from 'pino';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { isInForce, openWorkerLease } from '../../src/worker/leases/workerLease.ts';
import { heldTogether } from '../support/heldTogether.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

const logger = pino({ level: 'silent' });
let database: TestDatabase;
let handle: DatabaseHandle;
beforeAll(async () => {
  database = await createMigratedDatabase();
  handle = createDatabase({ url: database.url, applicationName: 'worker', maxConnections: 4, logger });
});
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  await handle.close();
  await database.drop();
});

/** Opens a lease, and notes the ids that it loses. */
async function open(leaseMs: number) {
  const lost: string[] = [];
  const { pool } = handle;
  const lease = await openWorkerLease({ pool, logger, leaseMs, onLost: (lostId) => lost.push(lostId) });
  onTestFinished(lease.close);
  return { lease, lost };
}

/** Whether others consider this worker alive. */
async function isAlive(id: string): Promise<boolean> {
  const { rowCount } = await handle.pool.query(
    `select from service.worker_leases where id = $1 and ${isInForce}`,
    [id],
  );
  return rowCount === 1;
}

test('a worker counts its lease from before it asked, and as over a quarter before others do', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const [opened] = await heldTogether(handle.pool, {
    lock: ['lock table service.worker_leases in share mode', []],
    calls: [
      () => {
        const opening = open(60_000);
        vi.advanceTimersByTime(30_000);
        return opening;
      },
    ],
  });
  vi.advanceTimersByTime(14_999);
  expect(opened?.lease.isHeld()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(opened?.lease.isHeld()).toBe(false);
});

test.each([
  ['that has run out', `now() - interval '1 s'`],
  // Others count it as over: the database's clock was set back since.
  ['that ends much later than it was renewed for', `now() + interval '1 hour'`],
])('a lease %s is not renewed: the worker goes on under another id', async (_, until) => {
  const { lease, lost } = await open(1_000);
  const { id } = lease;
  await handle.pool.query(`update service.worker_leases set lease_until = ${until} where id = $1`, [id]);
  await waitUntil('it was to be renewed', async () => lost.length > 0 || (await isAlive(id)));
  expect(lost[0]).toBe(id);
  await waitUntil('it has a lease again', async () => lease.isHeld() && (await isAlive(lease.id)));
  expect(lease.id).not.toBe(id);
  const isThere = async () =>
    (await handle.pool.query('select from service.worker_leases where id = $1', [id])).rowCount === 1;
  await waitUntil('nothing is left of it', async () => !(await isThere()));
});

test('a renewal that is answered after the loss holds nothing under the next id', async () => {
  const { lease, lost } = await open(2_000);
  const client = await handle.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from service.worker_leases for update');
    await waitUntil('the worker gives its lease up', () => lost.length > 0);
  } finally {
    await client.query('rollback');
    client.release();
  }
  await waitUntil('it has a lease again', lease.isHeld);
  expect(await isAlive(lease.id)).toBe(true);
});

test('a closed lease is nobody’s, and one that has just run out stays in the way of its id', async () => {
  await handle.pool.query('delete from service.worker_leases');
  await handle.pool.query(
    `insert into service.worker_leases (id, lease_until)
    values ('recent', now() - interval '30 s'), ('old', now() - interval '2 min')`,
  );
  const { lease } = await open(60_000);
  const readIds = async () =>
    (await handle.pool.query<{ id: string }>('select id from service.worker_leases order by id')).rows.map(
      ({ id }) => id,
    );
  expect(await readIds()).toEqual(['recent', lease.id]);
  await lease.close();
  expect(await readIds()).toEqual(['recent']);
});
