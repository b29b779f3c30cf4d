import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

const pauseMs = 50;

export type SessionPart = 'lock' | 'chains' | 'pruning' | 'ponder';

/** Tells this process from others of the schema. */
const processMark = randomBytes(4).toString('hex');

/** How the sessions of this indexer are named in the database. */
export function sessionName(schema: string, part: SessionPart): string {
  return part === 'lock' ? lockName(schema) : `${schema} ${part} ${processMark}`;
}

/** The connection string with a name for its sessions that nothing else overrides: neither the operator's nor that which Ponder gives. */
export function nameSessions(url: string, name: string): string {
  // What stands there is kept letter by letter: `pg` reads more than what is well-formed. Of two names it takes the last one.
  const [address = '', ...fragment] = url.split('#');
  const named = `${address}${address.includes('?') ? '&' : '?'}application_name=${encodeURIComponent(name)}`;
  return [named, ...fragment].join('#');
}

/**
 * Ends whatever sessions other indexers of the schema have left, with the transactions that are open in them, and returns how many
 * there were. Those that hold the schema's lock or wait for it stay.
 *
 * @throws DatabaseError where they are of a role that this one may not end them for.
 */
export async function endSessions(client: pg.Client, schema: string): Promise<number> {
  const { rows } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and starts_with(application_name, $1) and application_name <> $2
       and not application_name like '% ' || $3`,
    [`${schema} `, lockName(schema), processMark],
  );
  return rows.length;
}

/** Ends them, and returns once they are gone. */
export async function awaitEndOfSessions(client: pg.Client, schema: string): Promise<void> {
  while ((await endSessions(client, schema)) > 0) await delay(pauseMs);
}

function lockName(schema: string): string {
  return `${schema} lock`;
}
