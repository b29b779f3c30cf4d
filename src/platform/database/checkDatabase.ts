import pg from 'pg';
import { ConfigurationError } from '../config/configurationError.ts';
import { connectPatiently } from './connectPatiently.ts';
import { isDatabaseAway } from './isDatabaseAway.ts';
import { requireSessions } from './requireSessions.ts';

/**
 * Looks once whether a service could work on its database. Says nothing of a database that is away: the service waits for it.
 *
 * @throws ConfigurationError if the server refuses the role, its password or the database, if TLS or the URL do not fit, or for a pooler
 * that keeps no sessions.
 */
export async function checkDatabase(url: string): Promise<void> {
  try {
    const client = await connectPatiently({ url, applicationName: 'agreements start', patienceMs: 0 });
    try {
      await requireSessions(client, url);
    } finally {
      // A silent database may never answer.
      client.end().catch(() => {});
    }
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    if (isRefusal(error)) throw new ConfigurationError([`DATABASE_URL: ${error.message}`]);
  }
}

/** Of the role, its password, the database or what it may do; 08P01 is what poolers say. */
const refusals = /^(28|3D|42|08P01)/;
/** Errors of `pg` and of TLS that have no such code. */
const saidOfSettings = /^SASL|does not support SSL|certificate/i;
/** A file that the URL names, such as `sslrootcert`, cannot be read. */
const isFileUnread = (error: Error) => 'syscall' in error && error.syscall === 'open';

/** Whether it cannot work later either. Anything else may pass, and is the processes' to wait for. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error) || isDatabaseAway(error)) return false;
  return error instanceof pg.DatabaseError
    ? refusals.test(error.code ?? '')
    : saidOfSettings.test(error.message) || isFileUnread(error);
}
