import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

type Notice = { readonly channel: string; readonly payload: string };
type Queue = { waiting: Map<string, Notice>; isRunning: boolean };

/** Each notification wakes every listening connection of the database, so those of so many milliseconds share one. */
const pauseMs = 20;

const queues = new WeakMap<pg.Pool, Queue>();

/**
 * In PostgreSQL a commit with a notification waits for other such commits until they are on disk. These
 * commits store nothing, so they do not wait for the disk.
 */
const statement = {
  name: 'notify soon',
  text: `
    with setting as (select set_config('synchronous_commit', 'off', true))
    select pg_notify(channel, payload) from setting, unnest($1::text[], $2::text[]) as notice(channel, payload)`,
};

/**
 * Notifies the listeners of a channel about something already committed, outside of its transaction: commits
 * with notifications run one after the other over the whole database. The first one is sent at once. Those that arrive
 * within `pauseMs` after it share a statement, and equal ones are merged. They are lost if the process or its
 * connection ends first, so use this only for listeners that also poll.
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
    // Listeners find the change by polling, later.
    await pool.query({ ...statement, values }).catch(() => {});
    await delay(pauseMs);
  }
  queue.isRunning = false;
}
