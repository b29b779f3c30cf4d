import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Logger } from 'pino';
import { setUpSession } from './sessionSettings.ts';

export type Database = NodePgDatabase & { readonly $client: pg.Pool };
export type DatabaseTransaction = NodePgDatabase;
/** What a query runs in: the pool, or a transaction of the caller. */
export type Queryable = Database | DatabaseTransaction;

/** A pool of connections and the query builder over it. */
export type DatabaseHandle = { database: Database; pool: pg.Pool; close(): Promise<void> };

/** How columns are named where a table does not say. */
export const drizzleOptions = { casing: 'snake_case' } as const;

/** The database ends a statement after this time. */
const statementTimeoutMs = 30_000;
const settings = {
  statement_timeout: String(statementTimeoutMs),
  idle_in_transaction_session_timeout: String(statementTimeoutMs),
};
/** One that has said nothing after this time is not there any more, though nothing has told of its end. */
const usualAnswerTimeoutMs = 35_000;
const firstKeepAliveMs = 10_000;

/** Opens lazily: nothing is connected before the first query. A connection that breaks while idle is logged and replaced. */
export function createDatabase(options: {
  url: string;
  applicationName: string;
  maxConnections: number;
  answerTimeoutMs?: number;
  /** For `readTogether`. Whoever borrows a connection of such a pool discards it when a statement has timed out. */
  readsTogether?: boolean;
  logger: Logger;
}): DatabaseHandle {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: 5_000,
    // In a pipeline a statement that times out ends its connection. `readTogether` cannot use one.
    pipeline: !options.readsTogether,
    query_timeout: options.answerTimeoutMs ?? usualAnswerTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: firstKeepAliveMs,
    onConnect: (client) => setUpSession(client, settings),
  });
  // The error carries the whole client with it, which says nothing that its message does not.
  pool.on('error', ({ message }) =>
    options.logger.warn({ reason: message }, 'an idle database connection broke'),
  );
  // One that breaks while it is used fails its query; without a listener it would end the process as well.
  pool.on('connect', (client) => client.on('error', () => {}));
  // Destroy clients whose connection a time-out has ended, even if their borrower does not say so.
  pool.on('release', (error, client) => {
    if (!error && client.connection.stream.destroyed) void client.end();
  });
  return { database: drizzle(pool, drizzleOptions), pool, close: () => pool.end() };
}
