import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { applyMigrations } from './applyMigrations.ts';
import { connectPatiently } from './connectPatiently.ts';
import { migrateJobs } from './migrateJobs.ts';
import { requireSessions } from './requireSessions.ts';

const migrationsFolder = fileURLToPath(new URL('migrations', import.meta.url));
/** Any constant works; every process of this service uses the same one. */
const migrationLock = 0x61_67_72_31;

/**
 * Brings the tables of the service and of its jobs up to date, as soon as the database can be reached.
 * Processes that start together take turns under a session lock, which the database releases when its holder
 * dies. Processes of an earlier version keep working meanwhile.
 *
 * @throws ConfigurationError for a pooler that keeps no sessions.
 */
export async function migrateDatabase(
  url: string,
  { patienceMs = 0, logger }: { patienceMs?: number; logger?: Logger } = {},
): Promise<void> {
  const client = await connectPatiently({
    url,
    applicationName: 'agreements migrations',
    patienceMs,
    logger,
  });
  try {
    await requireSessions(client, url);
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await applyMigrations(client, { folder: migrationsFolder, logger });
    await migrateJobs(client, url);
    // Fails if the session, and the lock with it, was lost meanwhile.
    await client.query('select 1');
  } finally {
    await client.end();
  }
}
