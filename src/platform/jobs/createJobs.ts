import { EventEmitter } from 'node:events';
import { type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { createJobLogger } from './jobLogger.ts';
import { nudgeAfterJobs } from './nudgeAfterJobs.ts';

/** Handles the payload of a job. It may run more than once: after an error it is retried, with growing pauses. */
export type JobTask = (payload: unknown, context: { signal: AbortSignal }) => Promise<void>;

export type JobsOptions = {
  /** Needs two connections in addition to those of the tasks. */
  pool: pg.Pool;
  tasks: Readonly<Record<string, JobTask>>;
  concurrency: number;
  logger: Logger;
  /** A worker without a sign of life for this long counts as dead, and its jobs are free. */
  leaseMs?: number;
  /** How often jobs are polled without a notification. */
  pollMs?: number;
};

export type Jobs = {
  /** Starts no more jobs, and resolves when the running ones have ended. */
  close(): Promise<void>;
};

const defaultLeaseMs = 6_000;
const signsPerLease = 4;
const defaultPollMs = 2_000;
const firstPauseMs = 250;
const longestPauseMs = 10_000;

const signStatement = `
  insert into service.worker_leases (id, lease_until) values ($1, now() + $2::int * interval '1 millisecond')
  on conflict (id) do update set lease_until = excluded.lease_until`;
/** A new pool may hold a job before its first sign of life. */
const freeStatement = `
  select graphile_worker.force_unlock_workers(array_agg(locked_by)) from (
    select distinct locked_by from graphile_worker.jobs
    where locked_at < now() - $1::int * interval '1 millisecond' and not exists (
      select 1 from service.worker_leases where id = locked_by and lease_until > now())
  ) as dead having count(*) > 0`;

/**
 * Runs the jobs of these tasks until it is closed, together with all other workers of the database. The jobs
 * of a dead worker are free for others a little after `leaseMs`. No error ends it; it waits and starts again.
 */
export function createJobs({
  pool,
  tasks,
  concurrency,
  logger,
  leaseMs = defaultLeaseMs,
  pollMs = defaultPollMs,
}: JobsOptions): Jobs {
  const taskList: TaskList = Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (payload, { abortSignal }) => {
        await task(payload, { signal: abortSignal ?? new AbortController().signal });
      },
    ]),
  );
  let poolId: string | undefined;
  let runner: Runner | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let failures = 0;

  const giveSign = async () => {
    if (poolId !== undefined) await pool.query(signStatement, [poolId, leaseMs]);
    await pool.query(freeStatement, [leaseMs]);
  };
  let sign: Promise<void> | undefined;
  const giveSignLogged = () => {
    sign ??= giveSign()
      .catch((error: unknown) => logger.warn({ err: error }, 'the job runner stopped responding'))
      .finally(() => {
        sign = undefined;
      });
    return sign;
  };
  const begin = async () => {
    const events: WorkerEvents = new EventEmitter();
    events.on('pool:create', ({ workerPool }) => {
      poolId = workerPool.id;
    });
    nudgeAfterJobs(events);
    try {
      runner = await run({
        pgPool: pool,
        taskList,
        concurrency,
        pollInterval: pollMs,
        noHandleSignals: true,
        logger: createJobLogger(logger),
        events,
        parsedCronItems: [],
      });
      if (isClosed) await runner.stop();
      await giveSignLogged();
      failures = 0;
      await runner.promise;
      if (!isClosed) logger.warn('the job runner ended unexpectedly; restarting it');
    } catch (error) {
      if (!isClosed) logger.error({ err: error }, 'the job runner failed; restarting it');
    }
    runner = undefined;
    if (!isClosed) timer = setTimeout(start, Math.min(firstPauseMs * 2 ** failures++, longestPauseMs));
  };
  let running: Promise<void> | undefined;
  const start = () => {
    running = begin();
  };

  start();
  const signs = setInterval(giveSignLogged, leaseMs / signsPerLease);
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await runner
        ?.stop()
        .catch((error: unknown) => logger.debug({ err: error }, 'the job runner was stopped'));
      await running;
      clearInterval(signs);
      await sign;
      if (poolId !== undefined) await pool.query('delete from service.worker_leases where id = $1', [poolId]);
    },
  };
}
