import type { Worker, WorkerEvents } from 'graphile-worker';

/** How long a finished job may take to leave the database. After the last delay, polling is as good. */
const pausesMs = [10, 50, 250, 1_000];

/**
 * Makes a worker look for another job soon after each finished one. By itself the worker looks while it still releases
 * the job's queue, usually finds the queue taken, and then pauses until its next poll, however many jobs wait.
 */
export function nudgeAfterJobs(events: WorkerEvents): void {
  const released = new WeakSet<Worker>();
  events.on('worker:release', ({ worker }) => released.add(worker));
  events.on('job:complete', ({ worker }) => {
    for (const pauseMs of pausesMs)
      setTimeout(() => {
        if (!released.has(worker)) worker.nudge();
      }, pauseMs).unref();
  });
}
