import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { generationsOf, readRebuilds } from '../../indexer/runtime/chainRebuilds.ts';
import { computeIndexSchemaName } from '../../indexer/runtime/indexSchema.ts';
import { planInterim } from '../../indexer/runtime/interimPlan.ts';
import { keepServedIndex } from '../../indexer/runtime/keepServedIndex.ts';
import { prepareIndexer } from '../../indexer/runtime/prepareIndexer.ts';
import { pruneWhenServed } from '../../indexer/runtime/pruneSchemas.ts';
import { forgetReplacedChains, watchForReplacedChains } from '../../indexer/runtime/replacedChain.ts';
import { runPonder } from '../../indexer/runtime/runPonder.ts';
import { acquireSchemaLock } from '../../indexer/runtime/schemaLock.ts';
import { findServedSchema } from '../../indexer/runtime/servedSchemas.ts';
import { nameSessions, sessionName } from '../../indexer/runtime/sessions.ts';
import { findPlaces, noteSilentChains } from '../../indexer/runtime/silentChains.ts';
import { standIn } from '../../indexer/runtime/standIn.ts';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { readIndexerServer, readPruneInterval } from '../../platform/config/indexerSettings.ts';
import { indexViewsSchemaName } from '../../platform/database/indexNames.ts';
import { temporaryFailure } from '../../platform/supervision/temporaryFailure.ts';

/** Follows the chains into the index until it is asked to stop. */
async function startIndexer(): Promise<void> {
  const { host, port } = readIndexerServer(process.env);
  const pruneInterval = readPruneInterval(process.env);
  const prepared = await prepareIndexer('indexer');
  const { databaseUrl, limits, logLevel, chains, asking, loading, logger, env, root, ponderRoot } = prepared;
  asking.allAnswered.catch(fail);

  const nameSchema = (generations: ReadonlyMap<number, number>) =>
    computeIndexSchemaName({ root, chains, startBlocks: asking.readStartBlocks(), generations });
  const rebuilds = await readRebuilds({ databaseUrl, logger });
  const schema = nameSchema(generationsOf(rebuilds));
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
  const rebuildsNow = await readRebuilds({ databaseUrl, logger });
  const generations = generationsOf(rebuildsNow);
  if (nameSchema(generations) !== schema) process.exit(temporaryFailure);
  const followed = { databaseUrl, schema, chains, generations, rpcTimeoutMs: limits.rpcTimeoutMs, logger };
  if (await forgetReplacedChains(followed)) process.exit(temporaryFailure);
  const served = await findServedSchema(followed);
  if (served !== undefined && served !== schema) {
    const plan = planInterim({ served, rebuilds: rebuildsNow, nameSchema });
    const entry = fileURLToPath(new URL('interimIndexer.ts', import.meta.url));
    if (plan) keepServedIndex({ databaseUrl, schema, plan, entry, env, logger });
  }
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
  // By this name the next holder of the lock finds Ponder's sessions.
  process.env.DATABASE_URL = nameSessions(databaseUrl, sessionName(schema, 'ponder'));
  await loaded;
  prepared.yieldSignals();
  await runPonder({ root: ponderRoot, schema, viewsSchema: indexViewsSchemaName, host, port, logLevel });
}

function fail(error: unknown): never {
  if (error instanceof ConfigurationError) console.error(error.message);
  else pino({ base: { process: 'indexer' } }).fatal({ err: error }, 'the indexer could not start');
  process.exit(1);
}

await startIndexer().catch(fail);
