import { ConfigurationError } from '../config/configurationError.ts';
import { connectPatiently } from './connectPatiently.ts';
import { isDatabaseAway } from './isDatabaseAway.ts';
import { requireSessions } from './requireSessions.ts';

/**
 * Looks once whether a service could work on its database. Says nothing of a database that is away: the service waits for it.
 *
 * @throws ConfigurationError if the server refuses it, such as for the role, its password or the database, or for a pooler that keeps no
 * sessions.
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
    if (isDatabaseAway(error)) return;
    throw new ConfigurationError([`DATABASE_URL: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
