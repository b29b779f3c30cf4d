import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';

export type NewJob = {
  task: string;
  payload: unknown;
  /** Replaces a waiting job with the same key; a running job is not affected. */
  key?: string;
  /** Jobs of one queue run one after the other. */
  queue?: string;
  /** Among due jobs the lowest number runs first; 0 by default. */
  priority?: number;
  /** The most attempts, with growing pauses. */
  maxAttempts?: number;
};

/** Adds a job within the caller's transaction. It runs at least once, in any worker. */
export async function addJob(transaction: Queryable, job: NewJob): Promise<void> {
  await transaction.execute(sql`
    select graphile_worker.add_job(${job.task}, payload => ${JSON.stringify(job.payload)}::json,
      queue_name => ${job.queue ?? null}::text, max_attempts => ${job.maxAttempts ?? null}::int,
      job_key => ${job.key ?? null}::text, priority => ${job.priority ?? null}::int)`);
}
