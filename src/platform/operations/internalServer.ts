import { Hono } from 'hono';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { ChainConfiguration } from '../config/configuration.ts';
import type { InternalServerSettings } from '../config/internalServerSettings.ts';
import { createDatabase } from '../database/database.ts';
import { startServer } from '../http/server.ts';
import type { ChainAccess } from '../nodes/clients.ts';
import { describeReadiness } from './describeReadiness.ts';
import { watchLags } from './lagWatch.ts';
import type { Metrics } from './metrics.ts';
import { readEventFacts } from './readEventFacts.ts';
import { createReadiness } from './readiness.ts';
import { readPositions } from './readPositions.ts';

/** A pool of its own, so that a busy process does not look as if its database were away. */
const maxConnections = 4;

export type InternalServer = { readonly port: number; close(): Promise<void> };

/**
 * Serves operators and their programs: `GET /ready` with 200 or 503 and the process's view of its chains,
 * `GET /metrics` for Prometheus. It asks for no key, so it belongs on an interface that callers cannot reach.
 *
 * @returns undefined if the usual port is taken, perhaps by another replica on the same machine.
 * @throws Error if it cannot listen for another reason, or at an address that the operator named.
 */
export async function startInternalServer(options: {
  settings: InternalServerSettings;
  databaseUrl: string;
  chains: readonly Pick<ChainConfiguration, 'chainId'>[];
  metrics: Metrics;
  access: Pick<ChainAccess, 'describe' | 'latestBlock'>;
  isStopping: () => boolean;
  addRoutes?: ((app: Hono, pool: pg.Pool) => void) | undefined;
  logger: Logger;
}): Promise<InternalServer | undefined> {
  const { settings, databaseUrl, chains, metrics, access, isStopping, logger } = options;
  const { host, port, isNamed, allowedLagMs } = settings;
  const applicationName = 'agreements operations';
  const { pool, close } = createDatabase({ url: databaseUrl, applicationName, maxConnections, logger });
  const chainIds = chains.map(({ chainId }) => chainId);
  const lags = watchLags({
    chainIds,
    readPositions: () => readPositions(pool),
    readNodeBlock: access.latestBlock,
    logger,
  });
  const readReadiness = createReadiness({
    pool,
    chains,
    isStopping,
    readLags: lags.read,
    allowedLagMs,
    logger,
  });
  const app = new Hono();
  options.addRoutes?.(app, pool);
  app.get('/ready', async (context) => {
    const readiness = await readReadiness();
    const described = describeReadiness(readiness, access.describe(), Date.now());
    return context.json(described, readiness.isReady ? 200 : 503);
  });
  app.get('/metrics', async (context) => {
    metrics.noteReadiness(await readReadiness());
    metrics.noteEndpoints(access.describe());
    metrics.noteLags(lags.read());
    try {
      metrics.noteEvents(await readEventFacts(pool));
    } catch (error) {
      logger.warn({ err: error }, 'failed to read the event metrics; keeping the last values');
    }
    return context.body(await metrics.print(), 200, { 'content-type': metrics.contentType });
  });
  app.onError((error, context) => {
    logger.error({ err: error }, 'an internal request failed');
    return context.text('failed', 500);
  });
  const headers = new Map([['cache-control', 'no-store']]);
  try {
    const server = await startServer({ app, host, port, headers, endWaits: async () => {}, logger });
    const closeBoth = async () => {
      lags.close();
      await server.close();
      await close();
    };
    return { port: server.port, close: closeBoth };
  } catch (error) {
    lags.close();
    await close();
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (isNamed || !isTaken) throw error;
    logger.warn(
      { err: error, host, port },
      'the port for readiness and metrics is in use; they are not served',
    );
    return undefined;
  }
}
