import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import {
  type ChainConfiguration,
  type Configuration,
  readConfiguration,
} from '../../platform/config/configuration.ts';
import { forgetSigners } from '../../platform/config/relayerSigners.ts';
import { loadSecretFiles } from '../../platform/config/secretFiles.ts';
import { leaveOnSignals } from '../../platform/supervision/leaveOnSignals.ts';
import { boundBatches } from './boundBatches.ts';
import { readRebuilds } from './chainRebuilds.ts';
import { hideEndpoints } from './endpointAliases.ts';
import { retryFailedBlocks } from './failedBlocks.ts';
import { type FollowedChains, followChains } from './followedChains.ts';
import { passOverLateNodes } from './lateNodes.ts';
import { learnKeys } from './learnKeys.ts';
import { boundLogRanges } from './logRanges.ts';
import { readLongBlocks } from './longBlocks.ts';
import { refuseLogsOfMissingBlocks } from './missingBlocks.ts';
import { readAhead } from './readAhead.ts';
import { rememberHashes } from './rememberHashes.ts';
import { resolveQuickly } from './resolveQuickly.ts';
import { loadPonder } from './runPonder.ts';
import { askOnceForTransactions } from './unchangedBlocks.ts';
import { giveUpVanishedBlocks } from './vanishedBlocks.ts';

const loadAfterMs = { waiting: 1_000, standingBy: 15_000 };

/** What an indexer knows before it follows any chain. */
export type PreparedIndexer = Pick<Configuration, 'databaseUrl' | 'limits' | 'logLevel'> & {
  readonly chains: readonly ChainConfiguration[];
  readonly asking: FollowedChains;
  readonly loading: Loading;
  readonly logger: Logger;
  /** The environment of a process that this one starts. */
  readonly env: NodeJS.ProcessEnv;
  readonly root: string;
  /** Where Ponder finds its configuration, schema and handlers. */
  readonly ponderRoot: string;
  /** Leaves signals to Ponder once it handles them. Call it when Ponder is loaded. */
  yieldSignals(): void;
};

/**
 * Takes secrets out of this process, reads its settings, asks the database and the nodes of all chains, and has Ponder find them in the
 * environment. Waits for a database that is away. A signal ends the process until Ponder handles it, after `yieldSignals`.
 *
 * @param name names the process in its log.
 * @throws ConfigurationError naming every setting that is wrong.
 * @throws Error of the database for which waiting does not help, without waiting for a node.
 */
export async function prepareIndexer(name: string): Promise<PreparedIndexer> {
  const yieldSignals = leaveOnSignals();
  // This process must hold no signing key.
  forgetSigners(process.env);
  delete process.env.ENCRYPTION_KEY;
  delete process.env.ENCRYPTION_KEY_FILE;
  loadSecretFiles(process.env);
  // Ponder would prefer it to DATABASE_URL.
  delete process.env.DATABASE_PRIVATE_URL;
  const env = { ...process.env };
  const { databaseUrl, limits, logLevel, ...configuration } = readConfiguration(process.env);
  const chains = hideEndpoints(configuration.chains, process.env);
  giveUpVanishedBlocks();
  refuseLogsOfMissingBlocks();
  readLongBlocks();
  const logger = pino({ level: logLevel, base: { process: name } });
  askOnceForTransactions(chains);
  passOverLateNodes(chains, logger);
  resolveQuickly();
  boundBatches();
  boundLogRanges();
  rememberHashes();
  readAhead();
  learnKeys();
  retryFailedBlocks();
  const loading = prepareLoading();

  // A wrong database ends the start at once, even if no node answers.
  const reached = readRebuilds({ databaseUrl, logger });
  const followed = followChains({ chains, rpcTimeoutMs: limits.rpcTimeoutMs, logger });
  const asking = await Promise.race([followed, reached.then(() => followed)]);
  // A node of another chain does so too, while the database is away.
  await Promise.race([reached, asking.allAnswered.then(() => reached)]);
  for (const [chainId, startBlock] of asking.readStartBlocks())
    process.env[`START_BLOCK_${chainId}`] = env[`START_BLOCK_${chainId}`] = String(startBlock);
  return {
    ...{ databaseUrl, limits, logLevel, chains, asking, loading, logger, env, yieldSignals },
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    ponderRoot: fileURLToPath(new URL('../ponder', import.meta.url)),
  };
}

type Loading = {
  /** Loads Ponder now, if that has not begun. */
  begin(): Promise<void>;
  postpone(): void;
};

/**
 * Loading Ponder takes seconds of processor time. While waiting for nodes or the database, load it meanwhile.
 * A standby loads it later, because the indexer that has just taken over needs the processor more; the
 * standby then only has to begin.
 */
function prepareLoading(): Loading {
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
