import { join } from 'node:path';
import pino from 'pino';
import { privateKeyToAddress } from 'viem/accounts';
import { readConfiguration } from '../../platform/config/configuration.ts';
import { readConsoleSettings } from '../../platform/config/consoleSettings.ts';
import { readWebhookSettings } from '../../platform/config/webhookSettings.ts';
import { createDatabase } from '../../platform/database/database.ts';
import { migrateDatabase } from '../../platform/database/migrateDatabase.ts';
import { getProcess } from '../../platform/supervision/processIdentity.ts';
import { supportedChains } from '../../protocol/chains.ts';
import { ensureConsole } from '../console/ensureConsole.ts';
import { buildTestAccounts, ensureRelayerKeys } from '../devtools/devAccounts.ts';
import { startLogFile } from '../devtools/logFile.ts';
import { startPostgres } from '../devtools/postgres.ts';
import { awaitIndexer, awaitWorker } from './awaitReady.ts';
import { createConsoleLink, createDevKey, isKeyAccepted } from './devAccess.ts';
import { type DevChain, startDevChain } from './devChain.ts';
import type { DevDirectory } from './devDirectory.ts';
import { ensureEncryptionKey } from './devEncryptionKey.ts';
import { buildDevEnvironment } from './devEnvironment.ts';
import { startHeartbeats } from './devHeartbeats.ts';
import { PortError } from './devPort.ts';
import { startDevServices } from './devServices.ts';
import { type DevStack, findDevStack, writeDevStack } from './devStack.ts';
import { openForkOrigins } from './forkOrigins.ts';
import type { Fork } from './forks.ts';
import { createProcessList, endLeftProcesses } from './leftProcesses.ts';
import type { Progress } from './progress.ts';
import type { RunningStack } from './runningStack.ts';
import { reserveServicePorts } from './servicePorts.ts';

const firstChainPort = 8545;
const usualPostgresPort = 54_329;

export type DevStackOptions = {
  directory: DevDirectory;
  /** From `readDevVariables`. */
  env: NodeJS.ProcessEnv;
  /** Public chains to continue locally; all others of their environment are local from the first block. */
  forks: readonly Fork[];
  progress: Progress;
  /** Receives each part as soon as it runs, so that it can be stopped even if a later one fails. */
  running: RunningStack;
  /** Aborts the start. */
  signal: AbortSignal;
  /** Called when a part has ended and the stack cannot go on without it. */
  onBroken(message: string): void;
};

/** Starts everything in the order of dependence, and resolves once a first request would succeed. */
export async function startDevStack(options: DevStackOptions): Promise<DevStack> {
  const { directory, env, forks, progress, running, signal, onBroken } = options;
  const left = await endLeftProcesses(directory.processesFile);
  if (left.length > 0) progress.warn(`ended what an earlier run had left behind: ${left.join(', ')}`);
  const processes = createProcessList(directory.processesFile);
  const last = findDevStack(directory);
  const { ports, takenApiPort, release } = await reserveServicePorts({
    env,
    lastApiPort: last ? Number(new URL(last.baseUrl).port) : undefined,
  });
  if (takenApiPort !== undefined)
    progress.warn(`port ${takenApiPort} is taken; the API listens on ${ports.api}`);

  const origins = await openForkOrigins(directory, forks);
  const environment = forks[0]?.chain.environment ?? 'testnet';
  const databaseUrl = await startDatabase(options);
  const logger = pino({ level: 'silent' });
  const handle = createDatabase({
    url: databaseUrl,
    applicationName: 'agreements dev',
    maxConnections: 2,
    logger,
  });
  running.add({ name: 'connection', stop: handle.close, kill: handle.close });
  const { database } = handle;
  await progress.step('Tables', () => migrateDatabase(databaseUrl));

  const relayerKeys = ensureRelayerKeys(directory.relayersFile);
  const relayers = relayerKeys.map((key) => privateKeyToAddress(key));
  const accounts = buildTestAccounts();
  const chains: DevChain[] = [];
  for (const [ordinal, chain] of supportedChains(environment).entries()) {
    signal.throwIfAborted();
    const fork = origins.get(chain.chainId);
    const started = await progress.step(
      chain.name,
      () =>
        startDevChain({
          chain,
          wantedPort: firstChainPort + ordinal,
          relayers,
          directory,
          fork,
          accounts: accounts.map(({ address }) => address),
        }),
      ({ anvil }) =>
        `${anvil.rpcUrl}  factory ${chain.factory}${fork ? `, forked at block ${fork.blockNumber}` : ''}`,
    );
    running.add({ name: chain.name, ...started.anvil });
    processes.note(`the chain ${chain.chainId}`, started.anvil.pid);
    chains.push(started);
  }

  signal.throwIfAborted();
  const serviceEnv = buildDevEnvironment({
    env,
    environment,
    databaseUrl,
    ports,
    chains,
    relayerKeys,
    encryptionKey: ensureEncryptionKey(directory.encryptionKeyFile),
  });
  // A wrong setting is reported here once, and not by three processes.
  const { limits } = readConfiguration(serviceEnv);
  const { isServed: hasConsole } = readConsoleSettings(serviceEnv);
  if (hasConsole) await progress.step('Console', ensureConsole, (isNew) => (isNew ? 'built' : 'up to date'));
  const baseUrl = `http://127.0.0.1:${ports.api}`;
  const indexerUrl = `http://127.0.0.1:${ports.indexer}`;
  await release();
  running.add(startDevServices({ env: serviceEnv, directory, progress, processes, onBroken }));

  await awaitIndexer({ baseUrl, indexerUrl, progress, signal });
  running.add(startHeartbeats({ chains, database, onBroken }));
  await awaitWorker({ database, chains, progress, signal });

  const isKnown = last !== null && (await isKeyAccepted(baseUrl, last.apiKey));
  const apiKey = isKnown ? last.apiKey : await createDevKey(database, environment);
  // Two stacks that started at the same time may have chosen the same port.
  if (!isKnown && !(await isKeyAccepted(baseUrl, apiKey)))
    throw new PortError(`${baseUrl} is answered by another service.`);
  const stack: DevStack = {
    process: getProcess(process.pid),
    baseUrl,
    apiKey,
    ...(hasConsole && { consoleUrl: await createConsoleLink(baseUrl, apiKey) }),
    databaseUrl,
    indexerUrl,
    internalUrls: {
      api: `http://127.0.0.1:${ports.apiInternal}`,
      worker: `http://127.0.0.1:${ports.workerInternal}`,
    },
    rateLimits: { reads: limits.rates.read.perSecond, writes: limits.rates.write.perSecond },
    webhookTargets: [...readWebhookSettings(serviceEnv).allowedTargets],
    chains: chains.map(({ chain: { chainId, name, factory }, anvil: { rpcUrl, wsUrl } }) => ({
      chainId,
      name,
      rpcUrl,
      wsUrl,
      factory,
    })),
    accounts,
  };
  writeDevStack(directory, stack);
  return stack;
}

async function startDatabase({ directory, env, progress, running }: DevStackOptions): Promise<string> {
  if (env.DATABASE_URL) {
    progress.warn('PostgreSQL is the one of DATABASE_URL');
    return env.DATABASE_URL;
  }
  const logFile = join(directory.logs, 'postgres.log');
  startLogFile(logFile);
  const server = await progress.step(
    'PostgreSQL',
    () => startPostgres({ dataDirectory: directory.postgres, port: usualPostgresPort, logFile }),
    ({ port }) => `127.0.0.1:${port}`,
  );
  running.add({ name: 'PostgreSQL', ...server });
  return server.localUrl;
}
