import { findChain } from '../../protocol/chains.ts';
import { readConfiguration } from '../config/configuration.ts';
import { ConfigurationError } from '../config/configurationError.ts';
import { readRelayerKeys } from '../config/relayerKeys.ts';
import { readRelaySettings } from '../config/relaySettings.ts';
import { createDatabase } from '../database/database.ts';
import { migrateDatabase } from '../database/migrateDatabase.ts';
import { createLogger } from '../log/createLogger.ts';
import { listSecrets } from '../log/listSecrets.ts';
import { createProjector } from '../projector/projector.ts';
import { createRelay } from '../relay/relay.ts';
import { type Closing, runService } from './runService.ts';

const maxConnections = 20;

/** The worker: sends what was accepted, and folds what the index shows into records. */
function readWorker(env: NodeJS.ProcessEnv) {
  const { databaseUrl, chains, limits, logLevel } = readConfiguration(env);
  const keys = readRelayerKeys(env, chains);
  const settings = readRelaySettings(env, chains);
  const logger = createLogger({ level: logLevel, name: 'worker', secrets: listSecrets(env) });
  const start = async (onClose: (closing: Closing) => void) => {
    await migrateDatabase(databaseUrl);
    const { pool, close } = createDatabase({
      url: databaseUrl,
      applicationName: 'agreements worker',
      maxConnections,
      logger,
    });
    onClose({ name: 'database', close });
    const projector = createProjector({
      pool,
      databaseUrl,
      chains: chains.map(({ chainId, confirmations }) => {
        // What the indexer takes for final lies between one and two of its windows behind the head.
        const reorgWindow = 2 * (findChain(chainId)?.finalityBlocks ?? 0);
        return { chainId, confirmations, reorgWindow };
      }),
      logger,
    });
    onClose({ name: 'projector', close: projector.close });
    const relay = createRelay({
      pool,
      databaseUrl,
      chains,
      keys,
      settings,
      rpcTimeoutMs: limits.rpcTimeoutMs,
      logger,
    });
    onClose({ name: 'relay', close: relay.close });
  };
  return { logger, start };
}

try {
  runService(readWorker(process.env));
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
