import type { Worker, WorkerEvents } from 'graphile-worker';

/** How long it may take until a job that has ended is gone from the database; later than the last, a poll is as good. */
const pausesMs = [10, 50, 250, 1_000];

/**
 * Has a worker look for a job again soon after each that it has done. By itself it looks at the very moment at which it begins to
 * give up the job's queue, finds that still taken as a rule, and rests until its next poll, however many jobs wait there.
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
