import type { Logger } from 'pino';
import { createAuthenticator } from '../access/authenticator.ts';
import { createChanges } from '../agreements/changes.ts';
import { createChainClients } from '../chain/clients.ts';
import type { Configuration } from '../config/configuration.ts';
import { createDatabase } from '../database/database.ts';
import { createPageRenderer } from '../documents/pageRenderer.ts';
import type { Closing } from '../start/runService.ts';
import { createApi } from './createApi.ts';
import { startServer } from './server.ts';

/** Enough to keep the database busy; requests that wait for a transaction hold none. */
const maxConnections = 20;

/**
 * Builds the API over an up-to-date database and serves it.
 *
 * @returns the port that it listens on.
 */
export async function startApi(
  configuration: Configuration,
  { logger, onClose }: { logger: Logger; onClose(closing: Closing): void },
): Promise<number> {
  const { databaseUrl, environment, chains, limits, host, port, publicBaseUrl } = configuration;
  const { database, pool, close } = createDatabase({
    url: databaseUrl,
    applicationName: 'agreements api',
    maxConnections,
    logger,
  });
  onClose({ name: 'database', close });
  const authenticator = createAuthenticator({ database, environment, logger });
  onClose({ name: 'authenticator', close: authenticator.close });
  const changes = createChanges({ databaseUrl, onAccessChanged: authenticator.forget, logger });
  const clients = createChainClients(chains, limits);
  const pages = createPageRenderer({ logger });
  onClose({ name: 'pages', close: pages.close });
  const services = { database, pool, chains, clients, changes, limits, publicBaseUrl };
  const app = createApi(services, { authenticator, pages, logger });
  const server = await startServer({ app, host, port, endWaits: changes.close, logger });
  onClose({ name: 'server', close: server.close });
  await changes.ready;
  return server.port;
}
