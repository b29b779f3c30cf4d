import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { commonSettings } from '../../platform/database/sessionSettings.ts';

const pauseMs = 50;

export type SessionPart = 'lock' | 'chains' | 'pruning' | 'ponder';

/** Distinguishes this process from others of the schema. */
export const processMark = randomBytes(4).toString('hex');

export function sessionName(schema: string, part: SessionPart, mark = processMark): string {
  return part === 'lock' ? lockName(schema) : `${schema} ${part} ${mark}`;
}

/**
 * The connection string with a session name that nothing else overrides, neither the operator's nor Ponder's,
 * and with the settings of every connection of the service, after those in the operator's `options`.
 */
export function nameSessions(url: string, name: string): string {
  // The given text is kept unchanged: `pg` accepts more than well-formed strings. Of two names it uses the
  // last one.
  const [address = '', ...fragment] = url.split('#');
  const given = /[?&]options=([^&]*)/.exec(address)?.[1] ?? '';
  // `pg` keeps `=` there, and decodes `%3D` only in well-formed strings.
  const own = Object.entries(commonSettings).map(([setting, value]) => `-c%20${setting}=${value}`);
  const options = [...(given === '' ? [] : [given]), ...own].join('%20');
  const mark = address.includes('?') ? '&' : '?';
  const named = `${address}${mark}options=${options}&application_name=${encodeURIComponent(name)}`;
  return [named, ...fragment].join('#');
}

/**
 * Ends the sessions that other indexers of the schema have left, with their open transactions, and returns
 * the number. Sessions that hold the schema's lock or wait for it stay.
 *
 * @throws DatabaseError if they are of a role that this one may not end them for.
 */
export async function endSessions(client: pg.Client, schema: string, mark = processMark): Promise<number> {
  const { rows } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and starts_with(application_name, $1) and application_name <> $2
       and not application_name like '% ' || $3`,
    [`${schema} `, lockName(schema), mark],
  );
  return rows.length;
}

/** Ends them, and returns once they are gone. */
export async function awaitEndOfSessions(
  client: pg.Client,
  schema: string,
  mark = processMark,
): Promise<void> {
  while ((await endSessions(client, schema, mark)) > 0) await delay(pauseMs);
}

export function schemaLockKey(schema: string): string {
  return `indexer of ${schema}`;
}

function lockName(schema: string): string {
  return `${schema} lock`;
}
