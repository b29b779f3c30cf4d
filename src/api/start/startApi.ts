import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAuthenticator } from '../access/authenticator.ts';
import { createChanges } from '../agreements/changes.ts';
import { createChainAccess } from '../chain/clients.ts';
import type { Configuration } from '../config/configuration.ts';
import type { EncryptionKeys } from '../config/encryptionKeys.ts';
import type { InternalServerSettings } from '../config/internalServer.ts';
import type { WebhookSettings } from '../config/webhookSettings.ts';
import { createDatabase } from '../database/database.ts';
import { orderedReads } from '../database/plannerSettings.ts';
import { readFromPrimary, readFromReplica } from '../database/reads.ts';
import { createPageRenderer } from '../documents/pageRenderer.ts';
import { openCipher } from '../encryption/openCipher.ts';
import { createApi } from '../http/createApi.ts';
import { createCrossOrigin } from '../http/crossOrigin.ts';
import { createRequestMeasure } from '../http/measureRequests.ts';
import { buildSecurityHeaders } from '../http/securityHeaders.ts';
import { startServer } from '../http/server.ts';
import { createRequestTracing } from '../http/traceRequests.ts';
import { startKeyExpiry } from '../idempotency/expiredKeys.ts';
import { createIdempotencyStore } from '../idempotency/idempotencyStore.ts';
import { createRateLimiter } from '../limiting/rateLimiter.ts';
import { createMetrics } from '../operations/metrics.ts';
import { isTracing } from '../tracing/tracing.ts';
import { createTargetRules } from '../webhooks/targetRules.ts';
import { startInternalServer } from './internalServer.ts';
import type { Closing } from './runService.ts';

/** Enough to keep the database busy; requests that wait for a transaction hold none. */
const maxConnections = 20;

/**
 * Builds the API over an up-to-date database and serves it.
 *
 * @returns the port that it listens on.
 */
export async function startApi(
  configuration: Configuration,
  {
    encryptionKeys,
    webhookSettings,
    internal,
    logger,
    onClose,
  }: {
    encryptionKeys: EncryptionKeys | undefined;
    webhookSettings: WebhookSettings;
    /** Where readiness and metrics are served; undefined for nowhere. */
    internal?: InternalServerSettings | undefined;
    logger: Logger;
    onClose(closing: Closing): void;
  },
): Promise<number> {
  const {
    databaseUrl,
    databaseReadUrl,
    environment,
    chains,
    limits,
    host,
    port,
    publicBaseUrl,
    corsOrigins,
    clientProfile,
  } = configuration;
  const { database, pool, close } = createDatabase({
    url: databaseUrl,
    applicationName: 'agreements api',
    maxConnections,
    settings: orderedReads,
    logger,
  });
  onClose({ name: 'database', close });
  const metrics = internal && createMetrics({ chains });
  const openReads = (url: string) => {
    const applicationName = 'agreements reads';
    const replica = createDatabase({ url, applicationName, maxConnections, settings: orderedReads, logger });
    onClose({ name: 'read replica', close: replica.close });
    const waitMs = limits.consistencyWaitMs;
    const onRead = metrics?.noteRead;
    return readFromReplica({ primary: pool, replica: replica.pool, waitMs, onRead, logger });
  };
  const reads = databaseReadUrl === undefined ? readFromPrimary(pool) : openReads(databaseReadUrl);
  const authenticator = createAuthenticator({ database, environment, logger });
  onClose({ name: 'authenticator', close: authenticator.close });
  const changes = createChanges({ databaseUrl, onAccessChanged: authenticator.forget, logger });
  onClose({ name: 'changes', close: changes.close });
  const { clients, describe: describeEndpoints } = createChainAccess(chains, limits);
  const pages = createPageRenderer({ logger });
  onClose({ name: 'pages', close: pages.close });
  const rateLimiter = createRateLimiter({ pool, rates: limits.rates });
  const cipher = await openCipher({ database, keys: encryptionKeys, logger });
  const idempotency = createIdempotencyStore({ pool, cipher, logger });
  onClose({ name: 'idempotency keys', close: idempotency.close });
  onClose({ name: 'expiry of idempotency keys', close: startKeyExpiry({ pool, logger }).close });
  const services = {
    database,
    pool,
    reads,
    chains,
    clients,
    changes,
    limits,
    publicBaseUrl,
    isMailConfigured: configuration.isMailConfigured,
    cipher,
    webhookSettings,
    targetRules: createTargetRules({ allowed: webhookSettings.allowedTargets }),
  };
  const middlewares = corsOrigins.length > 0 ? [createCrossOrigin(corsOrigins)] : [];
  if (isTracing()) middlewares.unshift(createRequestTracing());
  let isStopping = false;
  if (internal && metrics) {
    middlewares.unshift(createRequestMeasure(metrics));
    const operations = {
      settings: internal,
      databaseUrl,
      chains,
      metrics,
      describeEndpoints,
      isStopping: () => isStopping,
      logger,
    };
    const server = await startInternalServer(operations);
    if (server) onClose({ name: 'internal server', close: server.close });
  }
  const parts = { authenticator, rateLimiter, idempotency, pages, middlewares, clientProfile, logger };
  const app = createApi(services, parts);
  const headers = buildSecurityHeaders({ publicBaseUrl });
  const server = await startServer({ app, host, port, headers, endWaits: changes.close, logger });
  onClose({ name: 'server', close: server.close });
  onClose({
    name: 'readiness',
    async close() {
      isStopping = true;
      server.announceClose();
      await delay(configuration.shutdownGraceMs);
    },
  });
  await changes.ready;
  return server.port;
}
