import pg from 'pg';
import { ConfigurationError } from '../config/configurationError.ts';
import { connectPatiently } from './connectPatiently.ts';
import { requireSessions } from './requireSessions.ts';

/** The server refuses the role or its password, or has no such database. */
const refusals = new Set(['28P01', '28000', '3D000']);

/**
 * Looks once whether a service could work on its database. Says nothing of a database that is away: the service waits for it.
 *
 * @throws ConfigurationError if the server refuses the role, its password or the database, or for a pooler that keeps no sessions.
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
    if (error instanceof pg.DatabaseError && refusals.has(error.code ?? ''))
      throw new ConfigurationError([`DATABASE_URL: ${error.message}`]);
  }
}
