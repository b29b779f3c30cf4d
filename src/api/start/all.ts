import pino from 'pino';
import { checkSettings } from '../config/checkSettings.ts';
import type { Configuration } from '../config/configuration.ts';
import { ConfigurationError } from '../config/configurationError.ts';
import { loadEnvironmentFile } from '../config/environmentFile.ts';
import { loadSecretFiles } from '../config/secretFiles.ts';
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
