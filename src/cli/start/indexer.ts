import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { readGenerations } from '../../indexer/runtime/chainRebuilds.ts';
import { hideEndpoints } from '../../indexer/runtime/endpointAliases.ts';
import { followChains } from '../../indexer/runtime/followedChains.ts';
import { computeIndexSchemaName } from '../../indexer/runtime/indexSchema.ts';
import { passOverLateNodes } from '../../indexer/runtime/lateNodes.ts';
import { pruneWhenServed } from '../../indexer/runtime/pruneSchemas.ts';
import { forgetReplacedChains, watchForReplacedChains } from '../../indexer/runtime/replacedChain.ts';
import { loadPonder, runPonder } from '../../indexer/runtime/runPonder.ts';
import { acquireSchemaLock } from '../../indexer/runtime/schemaLock.ts';
import { nameSessions, sessionName } from '../../indexer/runtime/sessions.ts';
import { findPlaces, noteSilentChains } from '../../indexer/runtime/silentChains.ts';
import { standIn } from '../../indexer/runtime/standIn.ts';
import { useQuickEntity } from '../../indexer/runtime/useQuickEntity.ts';
import { giveUpVanishedBlocks } from '../../indexer/runtime/vanishedBlocks.ts';
import { type ChainConfiguration, readConfiguration } from '../../platform/config/configuration.ts';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { readIndexerServer } from '../../platform/config/indexerServerSettings.ts';
import { readPruneInterval } from '../../platform/config/pruneInterval.ts';
import { forgetSigners } from '../../platform/config/relayerSigners.ts';
import { loadSecretFiles } from '../../platform/config/secretFiles.ts';
import { indexViewsSchemaName } from '../../platform/database/indexNames.ts';

/** Another start may help; supervisors know this code as EX_TEMPFAIL. */
const temporaryFailure = 75;
const loadAfterMs = { waiting: 1_000, standingBy: 15_000 };

/** Follows the chains into the index until it is asked to stop. */
async function startIndexer(): Promise<void> {
  // Before Ponder is loaded, a signal may end the process at once: there is nothing to clean up.
  const leave = () => process.exit(0);
  process.once('SIGINT', leave).once('SIGTERM', leave);

  // This process must hold no signing key.
  forgetSigners(process.env);
  delete process.env.ENCRYPTION_KEY;
  delete process.env.ENCRYPTION_KEY_FILE;
  loadSecretFiles(process.env);
  // Ponder would prefer it to DATABASE_URL.
  delete process.env.DATABASE_PRIVATE_URL;
  const { databaseUrl, limits, logLevel, ...configuration } = readConfiguration(process.env);
  const chains = hideEndpoints(configuration.chains, process.env);
  giveUpVanishedBlocks();
  passOverLateNodes(chains);
  const { host, port } = readIndexerServer(process.env);
  const pruneInterval = readPruneInterval(process.env);
  const logger = pino({ level: logLevel, base: { process: 'indexer' } });
  useQuickEntity();
  const loading = prepareLoading();

  const asking = await followChains({ chains, rpcTimeoutMs: limits.rpcTimeoutMs, logger });
  asking.allAnswered.catch(fail);
  for (const [chainId, startBlock] of asking.readStartBlocks())
    process.env[`START_BLOCK_${chainId}`] = String(startBlock);

  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const ponderRoot = fileURLToPath(new URL('../../indexer/ponder', import.meta.url));
  const nameSchema = async () => {
    const generations = await readGenerations({ databaseUrl, logger });
    return computeIndexSchemaName({ root, chains, startBlocks: asking.readStartBlocks(), generations });
  };
  const schema = await nameSchema();
  await acquireSchemaLock({
    url: databaseUrl,
    schema,
    logger,
    onStandingBy: loading.postpone,
    onLost(cause) {
      // The database may have lost Ponder's last commits, and another indexer may be running: restart from
      // the stored data.
      logger.fatal({ err: cause }, 'the database connection broke: the indexer has to start again');
      process.exit(temporaryFailure);
    },
  });
  const loaded = loading.begin();
  // The former holder of the lock may have given up the index for another one, or a silent node has answered.
  if ((await nameSchema()) !== schema) process.exit(temporaryFailure);
  const followed = { databaseUrl, schema, chains, rpcTimeoutMs: limits.rpcTimeoutMs, logger };
  if (await forgetReplacedChains(followed)) process.exit(temporaryFailure);
  const silent = asking.listSilent();
  const places = await findPlaces(followed, { silent, startBlocks: asking.readStartBlocks() });
  const startAgain = ({ name }: ChainConfiguration) => {
    logger.fatal({ chain: name }, 'a node of this chain answers again: the indexer has to start again');
    process.exit(temporaryFailure);
  };
  if (silent.length > 0 && !places) {
    logger.error({ schema }, 'another index is served: this one waits for all of its chains');
    return startAgain(await asking.awaitAnswer(silent));
  }
  asking.awaitAnswer(silent).then(startAgain, fail);
  await noteSilentChains(followed, { chains, places: places ?? [] });
  standIn(places ?? [], process.env);
  watchForReplacedChains(followed, (chain) => {
    logger.fatal({ chain }, 'this chain is another one than before: the indexer has to start again');
    process.exit(temporaryFailure);
  });
  if (pruneInterval !== undefined)
    pruneWhenServed({ databaseUrl, schema, intervalMs: pruneInterval, logger });
  logger.info({ schema, views: indexViewsSchemaName, host, port }, 'indexing');
  process.off('SIGINT', leave).off('SIGTERM', leave);
  // By this name the next holder of the lock finds Ponder's sessions.
  process.env.DATABASE_URL = nameSessions(databaseUrl, sessionName(schema, 'ponder'));
  await loaded;
  await runPonder({ root: ponderRoot, schema, viewsSchema: indexViewsSchemaName, host, port, logLevel });
}

/**
 * Loading Ponder takes seconds of processor time. While waiting for nodes or the database, load it meanwhile.
 * A standby loads it later, because the indexer that has just taken over needs the processor more; the
 * standby then only has to begin.
 */
function prepareLoading() {
  let loaded: Promise<void> | undefined;
  const begin = () => {
    clearTimeout(timer);
    loaded ??= loadPonder();
    loaded.catch(() => {});
    return loaded;
  };
  let timer = setTimeout(begin, loadAfterMs.waiting);
  return {
    begin,
    postpone() {
      clearTimeout(timer);
      timer = setTimeout(begin, loadAfterMs.standingBy);
    },
  };
}

function fail(error: unknown): never {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exit(1);
}

await startIndexer().catch(fail);
