import pino from 'pino';
import { checkSettings } from '../../platform/config/checkSettings.ts';
import type { Configuration } from '../../platform/config/configuration.ts';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { readConsoleSettings } from '../../platform/config/consoleSettings.ts';
import { loadEnvironmentFile } from '../../platform/config/environmentFile.ts';
import { loadSecretFiles } from '../../platform/config/secretFiles.ts';
import { checkDatabase } from '../../platform/database/checkDatabase.ts';
import { describeExit } from '../../platform/supervision/child.ts';
import { onStopRequest } from '../../platform/supervision/stopSignals.ts';
import { ensureConsole } from '../console/ensureConsole.ts';
import { startServices } from '../services/servicePrograms.ts';

/** In addition to the time in which balancers notice an API's stop. */
const stopTimeoutMs = 20_000;

loadEnvironmentFile();
try {
  loadSecretFiles(process.env);
  const configuration = checkSettings(process.env);
  await checkDatabase(configuration.databaseUrl);
  if (readConsoleSettings(process.env).isServed) await prepareConsole();
  run(configuration);
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** If the console cannot be built, the rest of the service starts without it. */
async function prepareConsole(): Promise<void> {
  await ensureConsole().catch((error: unknown) =>
    console.error(`The console was not built: ${error instanceof Error ? error.message : String(error)}`),
  );
}

/** Runs indexer, worker and API until asked to stop, or until worker or API cannot be kept running. */
function run({ logLevel, shutdownGraceMs }: Configuration): void {
  const logger = pino({ name: 'supervisor', level: logLevel });
  const services = startServices({
    env: process.env,
    stopTimeoutMs: stopTimeoutMs + shutdownGraceMs,
    // A problem with one chain does not affect reads, deliveries or other chains; readiness says what is
    // late.
    kept: ['indexer'],
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
