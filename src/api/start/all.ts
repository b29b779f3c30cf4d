import pino from 'pino';
import { type Configuration, readConfiguration } from '../config/configuration.ts';
import { ConfigurationError } from '../config/configurationError.ts';
import { readEncryptionKeys } from '../config/encryptionKeys.ts';
import { loadEnvironmentFile } from '../config/environmentFile.ts';
import { readInternalServer } from '../config/internalServer.ts';
import { readRelayerSigners } from '../config/relayerSigners.ts';
import { readRelaySettings } from '../config/relaySettings.ts';
import { loadSecretFiles } from '../config/secretFiles.ts';
import { readTraceSettings } from '../config/traceSettings.ts';
import { describeExit } from '../supervision/child.ts';
import { startServices } from '../supervision/services.ts';
import { onStopRequest } from '../supervision/stopSignals.ts';

/** Beside the time in which an API lets balancers notice that it stops. */
const stopTimeoutMs = 20_000;

loadEnvironmentFile();
try {
  loadSecretFiles(process.env);
  run(checkSettings(process.env));
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/**
 * Reads what each of the three processes will read for itself, so that whatever is wrong is told at once and before anything
 * starts. Secrets are read and forgotten.
 */
function checkSettings(env: NodeJS.ProcessEnv): Configuration {
  const problems: string[] = [];
  const configuration = collect(() => readConfiguration(env), problems);
  const chains = configuration?.chains ?? [];
  collect(() => readRelayerSigners(env, chains), problems);
  collect(() => readRelaySettings(env, chains), problems);
  collect(() => readInternalServer(env, 'INTERNAL_PORT'), problems);
  collect(() => readInternalServer(env, 'WORKER_INTERNAL_PORT'), problems);
  collect(() => readEncryptionKeys(env), problems);
  collect(() => readTraceSettings(env), problems);
  if (!configuration || problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}

function collect<T>(read: () => T, problems: string[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

/** Runs indexer, worker and API until asked to stop, or until one of them cannot be kept running. */
function run({ logLevel, shutdownGraceMs }: Configuration): void {
  const logger = pino({ name: 'supervisor', level: logLevel });
  const services = startServices({
    env: process.env,
    stopTimeoutMs: stopTimeoutMs + shutdownGraceMs,
    onStarted: (service, childPid) => logger.info({ service, childPid }, 'started'),
    onRestart: (service, exit, delayMs) =>
      logger.error(
        { service, ...exit, delayMs },
        `the ${service} ${describeExit(exit)} and is started again`,
      ),
    onGivenUp: (service, exit) => {
      logger.fatal({ service, ...exit }, `the ${service} ${describeExit(exit)} too often; stopping`);
      void stop(1);
    },
  });
  async function stop(code: number): Promise<void> {
    await services.stop((service) => logger.info({ service }, 'stopped'));
    process.exit(code);
  }
  onStopRequest({
    stop: (cause) => {
      logger.info({ cause }, 'stopping');
      void stop(0);
    },
    force: () => void services.kill().then(() => process.exit(1)),
  });
}
