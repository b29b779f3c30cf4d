import { setTimeout as delay } from 'node:timers/promises';
import type { Hono } from 'hono';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Configuration } from '../platform/config/configuration.ts';
import type { ConsoleSettings } from '../platform/config/consoleSettings.ts';
import type { EncryptionKeys } from '../platform/config/encryptionKeys.ts';
import type { InternalServerSettings } from '../platform/config/internalServerSettings.ts';
import type { WebhookSettings } from '../platform/config/webhookSettings.ts';
import { createDatabase, type Database } from '../platform/database/database.ts';
import { readFromPrimary, readFromReplica } from '../platform/database/reads.ts';
import { startSweep } from '../platform/database/startSweep.ts';
import { openCipher } from '../platform/encryption/openCipher.ts';
import { startServer } from '../platform/http/server.ts';
import { createChainAccess } from '../platform/nodes/clients.ts';
import { startInternalServer } from '../platform/operations/internalServer.ts';
import { createMetrics } from '../platform/operations/metrics.ts';
import type { Closing } from '../platform/supervision/runService.ts';
import { isTracing } from '../platform/tracing/tracing.ts';
import { createArrivals } from '../platform/turns/arrivals.ts';
import { createChangeWatcher } from '../records/agreements/changeWatcher.ts';
import { readFeed } from '../records/events/readFeed.ts';
import { createQuotaKeeper } from '../records/quotas/quotaKeeper.ts';
import { forgetSessions } from '../records/sessions/forgetSessions.ts';
import { createTargetRules } from '../records/webhooks/targetRules.ts';
import { createAdmission } from './admission/createAdmission.ts';
import { createAuthenticator } from './authentication/authenticator.ts';
import { createCookies } from './authentication/cookies.ts';
import { createFailedAttempts } from './authentication/failedAttempts.ts';
import { buildConsoleRoutes } from './console/consoleRoutes.ts';
import { addOperatorRoutes } from './console/operatorRoutes.ts';
import { buildVerifyRoutes } from './console/verifyRoutes.ts';
import { createApi } from './createApi.ts';
import { createPageRenderer } from './documents/pageRenderer.ts';
import { createEvidenceDesk } from './evidence/evidenceDesk.ts';
import { createEvidenceDoor } from './evidence/evidenceDoor.ts';
import { createEvidenceHoldings } from './evidence/evidenceHoldings.ts';
import { createEvidencePages } from './evidence/evidencePages.ts';
import { createEvidenceSource } from './evidence/evidenceSource.ts';
import { createEvidenceWriters } from './evidence/evidenceWriters.ts';
import { forgetProofs } from './evidence/forgetProofs.ts';
import { createCrossOrigin } from './http/crossOrigin.ts';
import { createRequestMeasure } from './http/measureRequests.ts';
import { createProxyNotice } from './http/proxyNotice.ts';
import { buildSecurityHeaders } from './http/securityHeaders.ts';
import { createRequestTracing } from './http/traceRequests.ts';
import { deleteExpiredKeys } from './idempotency/expiredKeys.ts';
import { createIdempotencyStore } from './idempotency/idempotencyStore.ts';
import { forgetBuckets } from './limiting/forgetBuckets.ts';
import { createRateLimiter } from './limiting/rateLimiter.ts';
import { createEventStreams } from './streams/eventStreams.ts';

/** Enough to keep the database busy; requests that wait for a transaction hold none. */
const maxConnections = 20;
/** A principal uses two at most. */
const admissionConnections = 8;

const hourMs = 3_600_000;
const sweeps = [
  { what: 'old evidence proofs', forget: forgetProofs, intervalMs: hourMs },
  { what: 'unused rate buckets', forget: forgetBuckets, intervalMs: hourMs },
  { what: 'expired idempotency keys', forget: deleteExpiredKeys, intervalMs: hourMs / 6 },
  { what: 'old sessions', forget: forgetSessions, intervalMs: hourMs },
];

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
    consoleSettings,
    describeTrace,
    internal,
    logger,
    onClose,
  }: {
    encryptionKeys: EncryptionKeys | undefined;
    webhookSettings: WebhookSettings;
    /** Undefined for no console. */
    consoleSettings?: ConsoleSettings | undefined;
    describeTrace?: ((database: Database, id: string) => Promise<string | undefined>) | undefined;
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
    readsTogether: true,
    logger,
  });
  onClose({ name: 'database', close });
  const metrics = internal && createMetrics({ chains });
  const openReads = (url: string) => {
    const applicationName = 'agreements reads';
    const replica = createDatabase({
      url,
      applicationName,
      maxConnections,
      readsTogether: true,
      mayBeStandby: true,
      logger,
    });
    onClose({ name: 'read replica', close: replica.close });
    const waitMs = limits.consistencyWaitMs;
    const onRead = metrics?.noteRead;
    return readFromReplica({ primary: pool, replica: replica.pool, waitMs, onRead, logger });
  };
  const reads = databaseReadUrl === undefined ? readFromPrimary(pool) : openReads(databaseReadUrl);
  const cookies = createCookies(publicBaseUrl);
  const { sessionIdleSeconds } = limits;
  const failedAttempts = createFailedAttempts();
  const authenticator = createAuthenticator({
    database,
    environment,
    publicBaseUrl,
    cookies,
    sessionIdleSeconds,
    failedAttempts,
    logger,
  });
  onClose({ name: 'authenticator', close: authenticator.close });
  const changes = createChangeWatcher({ databaseUrl, onAccessChanged: authenticator.forget, logger });
  onClose({ name: 'changes', close: changes.close });
  const access = createChainAccess(chains, limits, logger);
  const { clients } = access;
  onClose({ name: 'heights of the nodes', close: access.watchHeights().close });
  const streams = createEventStreams(
    {
      read: (request) => readFeed(pool, request),
      watch: changes.watch,
      logger,
    },
    { perPrincipal: limits.eventStreams },
  );
  const pages = createPageRenderer({ logger });
  onClose({ name: 'pages', close: pages.close });
  const waitMs = limits.evidenceWaitMs;
  const quotas = createQuotaKeeper({ database, onRefusal: metrics?.noteQuotaRefusal, logger });
  onClose({ name: 'quotas', close: quotas.close });
  const arrivals = createArrivals();
  const source = createEvidenceSource(pool, {
    quotas,
    areOthersWaiting: arrivals.areRecent,
    charactersPerSecond: limits.evidenceBytesPerSecond,
    mostInputs: limits.evidenceInputs,
    mostBytes: limits.evidenceBytes,
    publicBaseUrl,
  });
  const desk = createEvidenceDesk({ source, clients }, { waitMs, logger });
  onClose({ name: 'evidence', close: desk.close });
  const evidencePages = createEvidencePages();
  onClose({ name: 'pages of evidence', close: evidencePages.close });
  for (const { what, forget, intervalMs } of sweeps) {
    const onFailure = (error: unknown) => logger.warn({ err: error }, `failed to delete ${what}`);
    const sweep = startSweep({ sweep: () => forget(pool), intervalMs, onFailure });
    onClose({ name: what, close: sweep.close });
  }
  const rateLimiter = createRateLimiter({ pool, rates: limits.rates });
  const guestLimiter = createRateLimiter({ pool, rates: limits.guestRates });
  const strangerLimiter = createRateLimiter({ pool, rates: limits.strangerRates });
  const cipher = await openCipher({ database, keys: encryptionKeys, logger });
  const idempotency = createIdempotencyStore({ pool, cipher, logger });
  onClose({ name: 'idempotency keys', close: idempotency.close });
  const forAdmission = createDatabase({
    url: databaseUrl,
    applicationName: 'agreements admission',
    maxConnections: admissionConnections,
    plansOnce: true,
    logger,
  });
  onClose({ name: 'database of the admission', close: forAdmission.close });
  const admission = createAdmission({
    pool: forAdmission.pool,
    settings: configuration.admission,
    onOutcome: metrics?.noteAdmission,
  });
  const services = {
    admission,
    quotas,
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
  if (limits.trustedProxies === 0) middlewares.unshift(createProxyNotice(logger));
  if (isTracing()) middlewares.unshift(createRequestTracing());
  middlewares.unshift((_, next) => {
    arrivals.note();
    return next();
  });
  let isStopping = false;
  if (internal && metrics) {
    middlewares.unshift(createRequestMeasure(metrics));
    const operations = {
      settings: internal,
      databaseUrl,
      chains,
      metrics,
      access,
      isStopping: () => isStopping,
      addRoutes: (app: Hono, ownPool: pg.Pool) =>
        addOperatorRoutes(app, {
          pool: ownPool,
          describeTrace: describeTrace && ((id) => describeTrace(database, id)),
          allowedHosts: internal.allowedHosts,
        }),
      logger,
    };
    const server = await startInternalServer(operations);
    if (server) onClose({ name: 'internal server', close: server.close });
  }
  const parts = {
    staticRoutes: consoleSettings
      ? [
          ...buildConsoleRoutes({ settings: consoleSettings, environment, publicBaseUrl, chains }),
          ...buildVerifyRoutes(),
        ]
      : [],
    authenticator,
    cookies,
    failedAttempts,
    streams,
    evidence: {
      door: createEvidenceDoor(),
      source,
      desk,
      holdings: createEvidenceHoldings(),
      pages: evidencePages,
      writers: createEvidenceWriters({ logger }),
    },
    rateLimiter,
    guestLimiter,
    strangerLimiter,
    idempotency,
    quotas,
    pages,
    middlewares,
    clientProfile,
    environment,
    corsOrigins,
    onToolCall: metrics?.noteToolCall,
    logger,
  };
  const app = createApi(services, parts);
  const headers = buildSecurityHeaders({ publicBaseUrl });
  const endWaits = async () => {
    desk.endWaits();
    await changes.close();
  };
  const server = await startServer({ app, host, port, headers, endWaits, logger });
  onClose({ name: 'server', close: server.close });
  onClose({
    name: 'readiness',
    async close() {
      isStopping = true;
      server.announceClose();
      streams.close();
      await delay(configuration.shutdownGraceMs);
    },
  });
  await changes.ready;
  return server.port;
}
