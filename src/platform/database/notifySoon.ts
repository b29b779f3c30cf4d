import type pg from 'pg';

type Notice = { readonly channel: string; readonly payload: string };
type Queue = { waiting: Map<string, Notice>; isRunning: boolean };

const queues = new WeakMap<pg.Pool, Queue>();

/**
 * One commit that notifies waits for another in PostgreSQL, for as long as that takes to reach the disk. These have nothing to
 * keep, so they wait for no disk.
 */
const statement = {
  name: 'notify soon',
  text: `
    with setting as (select set_config('synchronous_commit', 'off', true))
    select pg_notify(channel, payload) from setting, unnest($1::text[], $2::text[]) as notice(channel, payload)`,
};

/**
 * Tells the listeners of a channel what has been committed, apart from the transaction that did it: commits that notify happen one
 * after the other over the whole database. Notices that come while others are on their way share a statement, and equal ones are one.
 * They are lost where the process or its connection to the database ends before: only for listeners that also look by themselves.
 */
export function notifySoon(pool: pg.Pool, channel: string, payloads: readonly string[]): void {
  const queue = queues.get(pool) ?? { waiting: new Map(), isRunning: false };
  queues.set(pool, queue);
  for (const payload of payloads) queue.waiting.set(`${channel} ${payload}`, { channel, payload });
  if (!queue.isRunning) void run(pool, queue);
}

async function run(pool: pg.Pool, queue: Queue): Promise<void> {
  queue.isRunning = true;
  while (queue.waiting.size > 0) {
    const notices = [...queue.waiting.values()];
    queue.waiting.clear();
    const values = [notices.map(({ channel }) => channel), notices.map(({ payload }) => payload)];
    // Whoever listens finds it by itself, if later.
    await pool.query({ ...statement, values }).catch(() => {});
  }
  queue.isRunning = false;
}
