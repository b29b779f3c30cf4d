import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';

export type NewJob = {
  task: string;
  payload: unknown;
  /** Now, unless given. */
  runAt?: Date;
  /** A job that waits under the same key is replaced by this one; one that runs already is not touched. */
  key?: string;
  /** Jobs of one queue run one after the other. */
  queue?: string;
  /** Of jobs that are due the one with the lowest number comes first; 0 unless given. */
  priority?: number;
  /** How often it is tried, with growing pauses. */
  maxAttempts?: number;
};

/** Adds a job as of the commit of the caller's transaction. It runs at least once, in any of the workers. */
export async function addJob(transaction: Queryable, job: NewJob): Promise<void> {
  await transaction.execute(sql`
    select graphile_worker.add_job(${job.task}, payload => ${JSON.stringify(job.payload)}::json,
      queue_name => ${job.queue ?? null}::text, run_at => ${job.runAt?.toISOString() ?? null}::timestamptz,
      max_attempts => ${job.maxAttempts ?? null}::int, job_key => ${job.key ?? null}::text,
      priority => ${job.priority ?? null}::int)`);
}
