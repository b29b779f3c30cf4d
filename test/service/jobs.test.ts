import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { jobTablesVersion } from '../../src/platform/database/migrateJobs.ts';
import { addJob } from '../../src/platform/jobs/addJob.ts';
import { createJobs, type Jobs, type JobTask } from '../../src/platform/jobs/createJobs.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

const logger = pino({ level: 'silent' });
/** Long enough for a slow machine. */
const leaseMs = 4_000;
let testDatabase: TestDatabase;
let handle: DatabaseHandle;
const open: Jobs[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
});
beforeEach(() => {
  handle = createDatabase({ url: testDatabase.url, applicationName: 'test', maxConnections: 6, logger });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(open.splice(0).map((jobs) => jobs.close()));
  await handle.close();
});
afterAll(() => testDatabase.drop());

function start(tasks: Record<string, JobTask>, options: { pollMs?: number } = {}): void {
  open.push(createJobs({ pool: handle.pool, tasks, concurrency: 4, logger, leaseMs, ...options }));
}

test('a job runs with its payload when its transaction has committed, and not when it was rolled back', async () => {
  const ran: unknown[] = [];
  start({ note: async (payload) => void ran.push(payload) });
  await handle.database
    .transaction(async (transaction) => {
      await addJob(transaction, { task: 'note', payload: { of: 'nothing' } });
      transaction.rollback();
    })
    .catch(() => undefined);
  await handle.database.transaction((transaction) =>
    addJob(transaction, { task: 'note', payload: { of: 'something' } }),
  );
  await waitUntil('the job ran', () => ran.length > 0);
  expect(ran).toEqual([{ of: 'something' }]);
});

test('a job that throws is tried again, and one under the same key replaces what waits', async () => {
  const ran: unknown[] = [];
  start({
    unsteady: async (payload) => {
      ran.push(payload);
      if (ran.length === 1) throw new Error('not yet');
    },
  });
  await handle.pool.query(
    `select graphile_worker.add_job('unsteady', '1'::json, run_at => now() + interval '1 hour', job_key => 'one')`,
  );
  await addJob(handle.database, { task: 'unsteady', payload: 2, key: 'one' });
  await waitUntil('it was tried twice', () => ran.length === 2);
  expect(ran).toEqual([2, 2]);
});

test('the jobs of one queue run one upon the other, in their order, without a poll', async () => {
  const ran: unknown[] = [];
  for (let at = 0; at < 10; at++)
    await addJob(handle.database, { task: 'note', payload: at, queue: 'serial' });
  start({ note: async (payload) => void ran.push(payload) }, { pollMs: 3_600_000 });
  await waitUntil('all ran', () => ran.length === 10);
  expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('the jobs of a process that was killed run elsewhere within seconds', async () => {
  const child = fork(fileURLToPath(new URL('support/stuckJobs.ts', import.meta.url)), [testDatabase.url]);
  children.push(child);
  await addJob(handle.database, { task: 'stuck', payload: {}, queue: 'stuck' });
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');

  let ran = 0;
  start({ stuck: async () => void ran++ });
  // The library alone would leave the job locked for hours.
  await waitUntil('it ran here', () => ran === 1);
});

test('the jobs of a process that lives stay its own, however long they take', async () => {
  let begun = 0;
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const task = async () => {
    begun++;
    await end;
  };
  start({ long: task });
  start({ long: task });
  await addJob(handle.database, { task: 'long', payload: {} });
  await waitUntil('it has begun', () => begun === 1);
  // By the database's clock, the lock is older than the lease.
  await waitUntil('the lock is old', async () => {
    const { rows } = await handle.pool.query(
      `select 1 from graphile_worker.jobs where locked_at < now() - $1 * interval '1 millisecond'`,
      [2.5 * leaseMs],
    );
    return rows.length > 0;
  });
  expect(begun).toBe(1);
  resolve();
  await waitUntil('it is done', async () => {
    const { rows } = await handle.pool.query(
      `select 1 from graphile_worker.jobs where task_identifier = 'long'`,
    );
    return rows.length === 0;
  });
  expect(begun).toBe(1);
});

test('jobs go on after every connection to the database was lost', async () => {
  let ran = 0;
  start({ count: async () => void ran++ });
  await addJob(handle.database, { task: 'count', payload: {} });
  await waitUntil('the first ran', () => ran === 1);
  // If the connection breaks while the library marks a job as done, the library gives up and ends the
  // process.
  await waitUntil('the first is noted as done', async () => {
    const { rows } = await handle.pool.query('select 1 from graphile_worker.jobs');
    return rows.length === 0;
  });
  await handle.pool
    .query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()')
    .catch(() => undefined);
  await waitUntil('the database is there again', () =>
    addJob(handle.database, { task: 'count', payload: {} }).then(
      () => true,
      () => false,
    ),
  );
  await waitUntil('the second ran', () => ran >= 2);
});

test('the tables of the jobs are those of the installed library', async () => {
  const { rows } = await handle.pool.query('select max(id)::int as version from graphile_worker.migrations');
  expect(rows[0]?.version).toBe(jobTablesVersion);
});
