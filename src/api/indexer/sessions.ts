import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

const pauseMs = 50;

export type SessionPart = 'lock' | 'chains' | 'pruning' | 'ponder';

/** How the sessions of an indexer are named in the database. */
export function sessionName(schema: string, part: SessionPart): string {
  return `${schema} ${part}`;
}

/** The connection string with a name for its sessions that nothing else overrides: neither the operator's nor that which Ponder gives. */
export function nameSessions(url: string, name: string): string {
  const named = new URL(url);
  named.searchParams.set('application_name', name);
  return named.href;
}

/**
 * Ends whatever sessions an earlier indexer of the schema has left, with the transactions that are open in them, and returns once
 * they are gone. Those that hold the schema's lock or wait for it stay.
 */
export async function endSessions(client: pg.Client, schema: string): Promise<void> {
  const end = () =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and starts_with(application_name, $1) and application_name <> $2`,
      [`${schema} `, sessionName(schema, 'lock')],
    );
  while ((await end()).rows.length > 0) await delay(pauseMs);
}
