import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { awaitEndOfSessions, endSessions, nameSessions, sessionName } from './sessions.ts';

export type SchemaLockOptions = {
  url: string;
  schema: string;
  /** For how many milliseconds the database keeps the lock for a holder of which it hears nothing: by default 30 seconds. */
  leaseMs?: number;
  logger: Logger;
  /** The lock is lost, or may be any moment. To be the only one, the process has to end before this returns. */
  onLost(cause: Error): void;
};

const usualLeaseMs = 30_000;
const retryDelayMs = 1_000;
/** No waiting mends it. */
const insufficientPrivilege = '42501';
/** A standby says nothing itself while it waits: without this it would not notice for hours that its connection is gone. */
const keepAliveDelayMs = 10_000;

/**
 * Makes this process the only indexer of the schema for as long as it lives; waits while another one is. The lock belongs to
 * the database session, so it ends with the process, however that ends; and where nobody tells the database so, since the whole
 * machine is gone or the process stands still, with its lease. Ponder's own lock is a row that a killed process leaves behind and
 * that others honour for 25 seconds: whoever holds the session's lock may take it off at once.
 *
 * Two do not write side by side. One that hears nothing from the database gives up before its lease ends. One that was held up so
 * long that it could not has no session left in which to write: whoever takes the lock ends them, and with them what was not
 * committed. Back again, it would have to open new ones, for which its event loop turns several times; it looks at its lease, and
 * finds the lock's session ended, in the first turn. A machine that was suspended, with its clocks, may not have been told: until
 * it next looks, a tenth of a lease, it may open a session, which the holder ends when it looks itself.
 */
export async function acquireSchemaLock(options: SchemaLockOptions): Promise<void> {
  const { url, schema, leaseMs = usualLeaseMs, logger } = options;
  for (;;) {
    const client = new pg.Client({
      connectionString: nameSessions(url, sessionName(schema, 'lock')),
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
    });
    let isHeld = false;
    const lose = (cause: Error) => {
      if (!isHeld) return;
      isHeld = false;
      options.onLost(cause);
    };
    client.on('error', lose);
    client.on('end', () => lose(new Error('the database closed the connection')));
    try {
      await client.connect();
      // A session that waits for the lock does not count as idle.
      await client.query(`select set_config('idle_session_timeout', $1, false)`, [String(leaseMs)]);
      await lock(client, options);
      await awaitEndOfSessions(client, schema);
      await clearStaleLock(client, schema);
      isHeld = true;
      renew(client, { schema, leaseMs, lose });
      return;
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === insufficientPrivilege) throw error;
      logger.warn({ err: error, retryInMs: retryDelayMs }, 'the database is not reachable');
      await client.end().catch(() => {});
      await delay(retryDelayMs);
    }
  }
}

/** What the lock of a schema is named by. */
export function schemaLockKey(schema: string): string {
  return `indexer of ${schema}`;
}

async function lock(client: pg.Client, { schema, logger }: SchemaLockOptions): Promise<void> {
  const key = [schemaLockKey(schema)];
  const attempt = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', key);
  if (attempt.rows[0]?.held === true) return;
  logger.info({ schema }, 'another process indexes into this schema: standing by');
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', key);
}

async function clearStaleLock(client: pg.Client, schema: string): Promise<void> {
  const table = `${pg.escapeIdentifier(schema)}._ponder_meta`;
  const { rows } = await client.query('select to_regclass($1) is not null as exists', [table]);
  if (rows[0]?.exists !== true) return;
  await client.query(`update ${table} set value = jsonb_set(value, '{is_locked}', '0')`);
}

/** Any statement begins the lease anew. The time counts from when it was sent: the database's own begins later. */
function renew(
  client: pg.Client,
  { schema, leaseMs, lose }: { schema: string; leaseMs: number; lose(cause: Error): void },
): void {
  const giveUpAfterMs = (leaseMs * 2) / 3;
  // The one stands still while a machine is suspended, the other may be set.
  const readClocks = () => [performance.now(), Date.now()] as const;
  let renewedAt = readClocks();
  let isAsking = false;
  const look = () => {
    const now = readClocks();
    if (now.some((time, clock) => time - (renewedAt[clock] ?? 0) > giveUpAfterMs))
      return lose(new Error('the database does not answer'));
    if (isAsking) return;
    isAsking = true;
    endSessions(client, schema)
      .then(() => {
        renewedAt = now;
      }, lose)
      .finally(() => {
        isAsking = false;
      });
  };
  look();
  setInterval(look, leaseMs / 10);
}
