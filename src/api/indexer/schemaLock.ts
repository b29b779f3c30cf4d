import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';

export type SchemaLockOptions = {
  url: string;
  schema: string;
  logger: Logger;
  /** The database has let go of the lock, or cannot be reached any more: nothing may be indexed from here on. */
  onLost(cause: Error): void;
};

const retryDelayMs = 1_000;
/** A peer that vanished without a word is found out by this. */
const probeIntervalMs = 10_000;
const probeTimeoutMs = 10_000;

/**
 * Makes this process the only indexer of the schema for as long as it lives; waits while another one is. The lock belongs to
 * the database session, so it ends with the process, however that ends. Ponder's own lock is a row that a killed process
 * leaves behind and that others honour for 25 seconds: whoever holds the session's lock may take it off at once.
 */
export async function acquireSchemaLock(options: SchemaLockOptions): Promise<void> {
  for (;;) {
    const client = new pg.Client({
      connectionString: options.url,
      application_name: `${options.schema} lock`,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    let isHeld = false;
    const lose = (cause: Error) => {
      if (isHeld) options.onLost(cause);
    };
    client.on('error', lose);
    client.on('end', () => lose(new Error('the database closed the connection')));
    try {
      await client.connect();
      await lock(client, options);
      isHeld = true;
      await clearStaleLock(client, options.schema);
      probe(client, lose);
      return;
    } catch (error) {
      if (isHeld) throw error;
      options.logger.warn({ err: error, retryInMs: retryDelayMs }, 'the database is not reachable');
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

function probe(client: pg.Client, lose: (cause: Error) => void): void {
  setInterval(() => {
    const overdue = setTimeout(() => lose(new Error('the database does not answer')), probeTimeoutMs);
    client
      .query('select 1')
      .catch(lose)
      .finally(() => clearTimeout(overdue));
  }, probeIntervalMs);
}
