import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { z } from 'zod';
import { inTime } from '../../platform/database/inTime.ts';
import { keepAlive } from '../../platform/database/silence.ts';
import { claimOwnership, fenceTables } from './ownerFence.ts';
import { awaitEndOfSessions, endSessions, nameSessions, schemaLockKey, sessionName } from './sessions.ts';

/**
 * The thread that takes and keeps the lock of an index schema. It has its own event loop: Ponder's start and
 * backfill block the main one, which says nothing about the database.
 */
export const keeperPlanShape = z.object({
  url: z.string(),
  schema: z.string(),
  /** The name of this process's sessions: see `sessionName`. */
  processMark: z.string(),
  leaseMs: z.number(),
});
export type KeeperPlan = z.output<typeof keeperPlanShape>;

export type KeeperMessage =
  | { kind: 'unreachable'; reason: string; retryInMs: number }
  | { kind: 'standingBy' }
  | { kind: 'held' }
  /** The lock is lost, or the database does not answer. */
  | { kind: 'lost'; reason: string }
  /** A permanent error. */
  | { kind: 'refused'; reason: string };

const retryDelayMs = 250;
const standbyIntervalMs = 250;
const insufficientPrivilege = '42501';
/** For each step between the lock and the first renewal; waits for locks of single tables are short. */
const takeoverTimeoutMs = 60_000;
const renewalsPerLease = 10;
/** Renewals that ran on time and found the previous one unanswered. */
const mostUnanswered = 7;

const lockKey = 'hashtextextended($1, 0)';

async function keepLock(plan: KeeperPlan, say: (message: KeeperMessage) => void): Promise<void> {
  const { url, schema, processMark } = plan;
  for (;;) {
    const client = new pg.Client({
      connectionString: nameSessions(url, sessionName(schema, 'lock', processMark)),
      connectionTimeoutMillis: 5_000,
      ...keepAlive,
    });
    let isHeld = false;
    const lose = (reason: string) => {
      if (isHeld) say({ kind: 'lost', reason });
      isHeld = false;
    };
    client.on('error', (error) => lose(error.message));
    client.on('end', () => lose('the database closed the connection'));
    try {
      await client.connect();
      await lock(client, plan, say);
      // Later, `renew` notices a silent database.
      const session = sessionName(schema, 'ponder', processMark);
      await inTime(claimOwnership(client, { schema, session }), takeoverTimeoutMs);
      await inTime(awaitEndOfSessions(client, schema, processMark), takeoverTimeoutMs);
      await inTime(clearStaleLock(client, schema), takeoverTimeoutMs);
      await inTime(fenceTables(client, schema), takeoverTimeoutMs);
      isHeld = true;
      renew(client, plan, lose);
      return say({ kind: 'held' });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof pg.DatabaseError && error.code === insufficientPrivilege)
        return say({ kind: 'refused', reason });
      say({ kind: 'unreachable', reason, retryInMs: retryDelayMs });
      client.end().catch(() => {});
      await delay(retryDelayMs);
    }
  }
}

/**
 * Asks for the lock until it is granted. A holder that has been silent for a lease, by the database's clock,
 * loses its session.
 */
async function lock(
  client: pg.Client,
  { schema, leaseMs }: KeeperPlan,
  say: (message: KeeperMessage) => void,
): Promise<void> {
  const key = schemaLockKey(schema);
  const take = {
    text: `select pg_try_advisory_lock(${lockKey}) as held`,
    values: [key],
    query_timeout: leaseMs,
  };
  const endSilentHolder = {
    text: `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and objsubid = 1
        and (classid::bigint << 32 | objid::bigint) = ${lockKey}
        and pg_locks.database = (select oid from pg_database where datname = current_database())
        and state = 'idle' and state_change < clock_timestamp() - $2 * interval '1 millisecond'`,
    values: [key, leaseMs],
    query_timeout: leaseMs,
  };
  for (let attempts = 1; ; attempts++) {
    const { rows } = await client.query<{ held: boolean }>(take);
    if (rows[0]?.held === true) return;
    if (attempts === 1) say({ kind: 'standingBy' });
    await client.query(endSilentHolder);
    await delay(standbyIntervalMs);
  }
}

/**
 * Ponder's own lock is a row that a killed process leaves behind, and that other processes respect for 25
 * seconds.
 */
async function clearStaleLock(client: pg.Client, schema: string): Promise<void> {
  const table = `${pg.escapeIdentifier(schema)}._ponder_meta`;
  const { rows } = await client.query('select to_regclass($1) is not null as exists', [table]);
  if (rows[0]?.exists !== true) return;
  await client.query(`update ${table} set value = jsonb_set(value, '{is_locked}', '0')`);
}

/**
 * Renews the lock often enough to keep it, and gives it up if the database is silent. Silence is counted in
 * renewals that ran on time: between two of them this thread has read everything that arrived. A delayed
 * renewal says nothing about the database.
 */
function renew(
  client: pg.Client,
  { schema, processMark, leaseMs }: KeeperPlan,
  lose: (reason: string) => void,
): void {
  const intervalMs = leaseMs / renewalsPerLease;
  let isAsking = false;
  let unanswered = 0;
  let lookedAt = performance.now();
  const ask = async () => {
    await endSessions(client, schema, processMark);
    await fenceTables(client, schema);
  };
  const look = () => {
    const now = performance.now();
    const isInTime = now - lookedAt < 1.5 * intervalMs;
    lookedAt = now;
    if (isAsking) {
      if (isInTime) unanswered++;
      if (unanswered >= mostUnanswered) lose('the database does not answer');
      return;
    }
    isAsking = true;
    ask()
      .catch((error: Error) => lose(error.message))
      .finally(() => {
        isAsking = false;
        unanswered = 0;
      });
  };
  setInterval(look, intervalMs);
}

if (parentPort) {
  const port = parentPort;
  await keepLock(keeperPlanShape.parse(workerData), (message) => port.postMessage(message));
}
