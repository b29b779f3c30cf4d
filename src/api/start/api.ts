import { readConfiguration } from '../config/configuration.ts';
import { ConfigurationError } from '../config/configurationError.ts';
import { readEncryptionKeys } from '../config/encryptionKeys.ts';
import { readInternalServer } from '../config/internalServer.ts';
import { forgetSigners } from '../config/relayerSigners.ts';
import { loadSecretFiles } from '../config/secretFiles.ts';
import { readTraceSettings } from '../config/traceSettings.ts';
import { readWebhookSettings } from '../config/webhookSettings.ts';
import { migrateDatabase } from '../database/migrateDatabase.ts';
import { createLogger } from '../log/createLogger.ts';
import { listSecrets } from '../log/listSecrets.ts';
import { startTracing } from '../tracing/startTracing.ts';
import { databasePatienceMs } from './databasePatience.ts';
import { type Closing, defaultCloseTimeoutMs, runService } from './runService.ts';
import { startApi } from './startApi.ts';

/** The API: checks and stores what callers ask for, and answers from what worker and indexer have made of it. */
function readApi(env: NodeJS.ProcessEnv) {
  const configuration = readConfiguration(env);
  const encryptionKeys = readEncryptionKeys(env);
  const webhookSettings = readWebhookSettings(env);
  const internal = readInternalServer(env, 'INTERNAL_PORT');
  const traceSettings = readTraceSettings(env);
  const logger = createLogger({ level: configuration.logLevel, name: 'api', secrets: listSecrets(env) });
  const start = async (onClose: (closing: Closing) => void) => {
    const tracing = await startTracing(traceSettings, { process: 'api', logger });
    onClose({ name: 'traces', close: tracing.close });
    await migrateDatabase(configuration.databaseUrl, { patienceMs: databasePatienceMs, logger });
    const port = await startApi(configuration, {
      encryptionKeys,
      webhookSettings,
      internal,
      logger,
      onClose,
    });
    logger.info({ host: configuration.host, port, baseUrl: configuration.publicBaseUrl }, 'listening');
  };
  return { logger, start, closeTimeoutMs: defaultCloseTimeoutMs + configuration.shutdownGraceMs };
}

// Whoever starts it by hand may give it the environment of all processes: no key belongs into this one.
forgetSigners(process.env);
try {
  loadSecretFiles(process.env);
  runService(readApi(process.env));
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
