import { computeIndexSchemaName } from '../../indexer/runtime/indexSchema.ts';
import { interimVariable, readInterimPlan } from '../../indexer/runtime/interimPlan.ts';
import { prepareIndexer } from '../../indexer/runtime/prepareIndexer.ts';
import { runPonder } from '../../indexer/runtime/runPonder.ts';
import { acquireSchemaLock } from '../../indexer/runtime/schemaLock.ts';
import { nameSessions, sessionName } from '../../indexer/runtime/sessions.ts';
import { beforeStart, findPlaces } from '../../indexer/runtime/silentChains.ts';
import { standIn } from '../../indexer/runtime/standIn.ts';
import { temporaryFailure } from '../../platform/supervision/temporaryFailure.ts';

/**
 * Keeps the served index current for the chains that were not given up, until its parent, the new index's indexer,
 * stops it. Only the parent may switch the views.
 */
async function startInterimIndexer(): Promise<void> {
  const plan = readInterimPlan(process.env[interimVariable] ?? '');
  const prepared = await prepareIndexer('interim indexer');
  const { databaseUrl, limits, logLevel, chains, asking, loading, logger, root, ponderRoot } = prepared;
  // The parent reports wrong settings.
  asking.allAnswered.catch(() => process.exit(temporaryFailure));

  const startBlocks = asking.readStartBlocks();
  const schema = computeIndexSchemaName({ root, chains, startBlocks, generations: plan.generations });
  if (schema !== plan.schema) process.exit(temporaryFailure);
  await acquireSchemaLock({
    url: databaseUrl,
    schema,
    logger,
    onLost(cause) {
      logger.error({ err: cause }, 'the database connection broke: this indexer has to start again');
      process.exit(temporaryFailure);
    },
  });
  const followed = { databaseUrl, schema, chains, rpcTimeoutMs: limits.rpcTimeoutMs, logger };
  const isGivenUp = ({ chainId }: { chainId: number }) => plan.givenUp.includes(chainId);
  const silent = asking.listSilent().filter((chain) => !isGivenUp(chain));
  const absent = chains.filter((chain) => isGivenUp(chain) || silent.includes(chain));
  const held = await findPlaces(followed, { silent: absent, startBlocks });
  if (!held) process.exit(temporaryFailure);
  // Ponder's cache has no blocks of the given-up chains.
  const places = held.map((place) => (isGivenUp(place) ? beforeStart(place, startBlocks) : place));
  asking.awaitAnswer(silent).then(
    () => process.exit(temporaryFailure),
    () => {},
  );
  standIn(places, process.env);
  logger.info({ schema }, 'indexing into the served index');
  process.env.DATABASE_URL = nameSessions(databaseUrl, sessionName(schema, 'ponder'));
  await loading.begin();
  prepared.yieldSignals();
  await runPonder({ root: ponderRoot, schema, host: '127.0.0.1', port: 0, logLevel });
}

await startInterimIndexer();
