import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Logger } from 'pino';
import { repeatAfterDeadlock } from './deadlock.ts';
import { refuseStandby } from './refuseStandby.ts';
import { noticeEnd, planByIndexes, setUpSession } from './sessionSettings.ts';
import { answerTimeoutMs, keepAlive } from './silence.ts';

export type Database = NodePgDatabase & { readonly $client: pg.Pool };
export type DatabaseTransaction = NodePgDatabase;
/** Where a query runs: the pool, or a transaction of the caller. */
export type Queryable = Database | DatabaseTransaction;

/** A pool of connections and the query builder over it. */
export type DatabaseHandle = { database: Database; pool: pg.Pool; close(): Promise<void> };

/** How columns are named if a table does not say. */
export const drizzleOptions = { casing: 'snake_case' } as const;

const statementTimeoutMs = 30_000;
const settings = {
  ...noticeEnd,
  statement_timeout: String(statementTimeoutMs),
  idle_in_transaction_session_timeout: String(statementTimeoutMs),
};
/** PostgreSQL decides by a connection's first plans, made for smaller tables, whether it plans again for each run. */
const maxLifetimeSeconds = 900;

/**
 * Opens lazily: connects at the first query. A connection that breaks while idle is logged and replaced. Statements
 * of the pool that a deadlock ends run again.
 */
export function createDatabase(options: {
  url: string;
  applicationName: string;
  maxConnections: number;
  answerTimeoutMs?: number;
  /**
   * For `readTogether`. A borrower of such a pool's connection must discard it after a statement has timed
   * out.
   */
  readsTogether?: boolean;
  /**
   * For statements that find everything by keys: each is planned once per connection, whatever its values. Otherwise the
   * database may plan each run again, which takes longer than the run.
   */
  plansOnce?: boolean;
  /**
   * Like `plansOnce`, also for connections whose statements may be planned while their tables are empty. Each must have
   * an index for all that it looks for, in the order that it needs.
   */
  plansByIndexes?: boolean;
  /** The database may be a standby, for reads only. */
  mayBeStandby?: boolean;
  logger: Logger;
}): DatabaseHandle {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: 5_000,
    // In a pipeline, a statement that times out ends its connection. `readTogether` cannot use a pipeline.
    pipeline: !options.readsTogether,
    query_timeout: options.answerTimeoutMs ?? answerTimeoutMs,
    maxLifetimeSeconds,
    ...keepAlive,
    onConnect: async (client) => {
      if (!options.mayBeStandby) await refuseStandby(client);
      await setUpSession(client, {
        ...settings,
        ...(options.plansOnce && { plan_cache_mode: 'force_generic_plan' }),
        ...(options.plansByIndexes && planByIndexes),
      });
    },
  });
  const query = pool.query.bind(pool);
  Object.assign(pool, {
    query: (...statement: unknown[]) => repeatAfterDeadlock(() => Reflect.apply(query, pool, statement)),
  });
  // The error carries the whole client, which adds nothing to its message.
  pool.on('error', ({ message }) =>
    options.logger.warn({ reason: message }, 'an idle database connection failed'),
  );
  // If a connection breaks in use, its query fails. Without a listener, the error would end the process too.
  pool.on('connect', (client) => client.on('error', () => {}));
  // Destroy clients whose connection a time-out has ended, even if their borrower does not say so.
  pool.on('release', (error, client) => {
    if (!error && client.connection.stream.destroyed) void client.end();
  });
  return { database: drizzle(pool, drizzleOptions), pool, close: () => pool.end() };
}
