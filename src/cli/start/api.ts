import { startApi } from '../../api/startApi.ts';
import { readConfiguration } from '../../platform/config/configuration.ts';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { readConsoleSettings } from '../../platform/config/consoleSettings.ts';
import { readEncryptionKeys } from '../../platform/config/encryptionKeys.ts';
import { readInternalServer } from '../../platform/config/internalServerSettings.ts';
import { forgetSigners } from '../../platform/config/relayerSigners.ts';
import { loadSecretFiles } from '../../platform/config/secretFiles.ts';
import { readTraceSettings } from '../../platform/config/traceSettings.ts';
import { warnOfUnreadSettings } from '../../platform/config/unreadSettings.ts';
import { readWebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { Database } from '../../platform/database/database.ts';
import { databasePatienceMs } from '../../platform/database/databasePatience.ts';
import { migrateDatabase } from '../../platform/database/migrateDatabase.ts';
import { createLogger } from '../../platform/log/createLogger.ts';
import { listSecrets } from '../../platform/log/listSecrets.ts';
import { type Closing, defaultCloseTimeoutMs, runService } from '../../platform/supervision/runService.ts';
import { startTracing } from '../../platform/tracing/startTracing.ts';
import { AdministrationError } from '../../records/principals/administrationError.ts';
import { describeTrace } from '../admin/trace/describeTrace.ts';
import { readTrace } from '../admin/trace/readTrace.ts';

/** Undefined for an unknown id. */
async function findTrace(database: Database, id: string): Promise<string | undefined> {
  try {
    return describeTrace(await readTrace(database, id));
  } catch (error) {
    if (error instanceof AdministrationError) return undefined;
    throw error;
  }
}

/** The API: checks and stores callers' requests, and answers from the data of worker and indexer. */
function readApi(env: NodeJS.ProcessEnv) {
  const configuration = readConfiguration(env);
  const encryptionKeys = readEncryptionKeys(env);
  const webhookSettings = readWebhookSettings(env);
  const consoleSettings = readConsoleSettings(env);
  const internal = readInternalServer(env, 'INTERNAL_PORT');
  const traceSettings = readTraceSettings(env);
  const logger = createLogger({ level: configuration.logLevel, name: 'api', secrets: listSecrets(env) });
  warnOfUnreadSettings(env, { chains: configuration.chains, logger });
  const start = async (onClose: (closing: Closing) => void) => {
    const tracing = await startTracing(traceSettings, { process: 'api', logger });
    onClose({ name: 'traces', close: tracing.close });
    await migrateDatabase(configuration.databaseUrl, { patienceMs: databasePatienceMs, logger });
    const port = await startApi(configuration, {
      encryptionKeys,
      webhookSettings,
      consoleSettings,
      describeTrace: findTrace,
      internal,
      logger,
      onClose,
    });
    logger.info({ host: configuration.host, port, baseUrl: configuration.publicBaseUrl }, 'listening');
  };
  return { logger, start, closeTimeoutMs: defaultCloseTimeoutMs + configuration.shutdownGraceMs };
}

// A manual start may pass the environment of all processes, but this process must hold no signing key.
forgetSigners(process.env);
try {
  loadSecretFiles(process.env);
  runService(readApi(process.env));
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
