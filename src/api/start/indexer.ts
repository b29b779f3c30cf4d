import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { readConfiguration } from '../config/configuration.ts';
import { ConfigurationError } from '../config/configurationError.ts';
import { readIndexerServer } from '../config/indexerServer.ts';
import { readPruneInterval } from '../config/pruneInterval.ts';
import { forgetSigners } from '../config/relayerSigners.ts';
import { loadSecretFiles } from '../config/secretFiles.ts';
import { indexViewsSchemaName } from '../database/indexNames.ts';
import { hideEndpoints } from '../indexer/endpointAliases.ts';
import { resolveStartBlocks } from '../indexer/followedChains.ts';
import { computeIndexSchemaName } from '../indexer/indexSchema.ts';
import { pruneWhenServed } from '../indexer/pruneSchemas.ts';
import { forgetReplacedChains, watchForReplacedChains } from '../indexer/replacedChain.ts';
import { runPonder } from '../indexer/runPonder.ts';
import { acquireSchemaLock } from '../indexer/schemaLock.ts';
import { nameSessions, sessionName } from '../indexer/sessions.ts';
import { useQuickEntity } from '../indexer/useQuickEntity.ts';

/** Another start may help: what supervisors know as EX_TEMPFAIL. */
const temporaryFailure = 75;

/** Follows the chains into the index until it is asked to stop. */
async function startIndexer(): Promise<void> {
  // A signal before Ponder is there ends a process that has nothing to put away yet.
  const leave = () => process.exit(0);
  process.once('SIGINT', leave).once('SIGTERM', leave);

  // No key belongs into this process.
  forgetSigners(process.env);
  delete process.env.ENCRYPTION_KEY;
  delete process.env.ENCRYPTION_KEY_FILE;
  loadSecretFiles(process.env);
  // Ponder would prefer it to DATABASE_URL.
  delete process.env.DATABASE_PRIVATE_URL;
  const { databaseUrl, limits, logLevel, ...configuration } = readConfiguration(process.env);
  const chains = hideEndpoints(configuration.chains, process.env);
  const { host, port } = readIndexerServer(process.env);
  const pruneInterval = readPruneInterval(process.env);
  const logger = pino({ level: logLevel, base: { process: 'indexer' } });

  const startBlocks = await resolveStartBlocks({ chains, rpcTimeoutMs: limits.rpcTimeoutMs, logger });
  for (const [chainId, startBlock] of startBlocks) process.env[`START_BLOCK_${chainId}`] = String(startBlock);

  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const schema = computeIndexSchemaName({ root, chains, startBlocks });
  await acquireSchemaLock({
    url: databaseUrl,
    schema,
    logger,
    onLost(cause) {
      // Ponder's last commits may be gone with the database, and another indexer may be at work: start from what is stored.
      logger.fatal({ err: cause }, 'the database connection broke: the indexer has to start again');
      process.exit(temporaryFailure);
    },
  });
  const followed = { databaseUrl, schema, chains, rpcTimeoutMs: limits.rpcTimeoutMs, logger };
  await forgetReplacedChains(followed);
  watchForReplacedChains(followed, (chain) => {
    logger.fatal({ chain }, 'this chain is another one than before: the indexer has to start again');
    process.exit(temporaryFailure);
  });
  if (pruneInterval !== undefined)
    pruneWhenServed({ databaseUrl, schema, intervalMs: pruneInterval, logger });
  logger.info({ schema, views: indexViewsSchemaName, host, port }, 'indexing');
  process.off('SIGINT', leave).off('SIGTERM', leave);
  useQuickEntity();
  // By that name the next holder of the lock finds Ponder's sessions.
  process.env.DATABASE_URL = nameSessions(databaseUrl, sessionName(schema, 'ponder'));
  await runPonder({ root, schema, viewsSchema: indexViewsSchemaName, host, port, logLevel });
}

try {
  await startIndexer();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exit(1);
}
