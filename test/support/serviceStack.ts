import { randomBytes } from 'node:crypto';
import { type Address, createPublicClient, type Hex, http, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { deployProtocol } from '../../contracts-test/deploy.ts';
import { findProgram } from '../../src/cli/build/builtPrograms.ts';
import { createDevKey } from '../../src/cli/dev/devAccess.ts';
import { type Anvil, startAnvil } from '../../src/cli/devtools/anvil.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { processSettings } from '../../src/cli/services/processSettings.ts';
import { createDatabase } from '../../src/platform/database/database.ts';
import { migrateDatabase } from '../../src/platform/database/migrateDatabase.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { type Child, startChild } from '../../src/platform/supervision/child.ts';
import { findChain } from '../../src/protocol/index.ts';
import { createAnvilClient } from './anvilClient.ts';
import { inheritedEnvironment } from './inheritedEnvironment.ts';
import { patienceMs } from './patience.ts';
import { waitUntil } from './waitUntil.ts';

const chainId = 84_532;
const stopTimeoutMs = 60_000;

export type ServiceKind = 'api' | 'worker' | 'indexer';

/** The log message of a process that has started. */
export const readyLine = /"msg":"(started|indexing)"/;

/** A database, a chain, and the matching settings of the service's processes. */
export type ServiceStack = Awaited<ReturnType<typeof createServiceStack>>;

/**
 * Prepares an empty database, and starts an Anvil with the protocol and funded relayer wallets. Starts no
 * process of the service. The caller closes it, after all started processes.
 */
export async function createServiceStack(options: {
  databaseUrl: string;
  wallets: number;
  /** Extra settings of every process. */
  env?: Readonly<Record<string, string>>;
}) {
  const { databaseUrl, wallets, env = {} } = options;
  const facts = findChain(chainId);
  if (!facts) throw new Error(`${chainId} is not supported`);
  const { factory, implementation } = facts;
  const anvil: Anvil = await startAnvil({ chainId });
  const { rpcUrl } = anvil;
  const client = createAnvilClient(rpcUrl);
  const reader = createPublicClient({ transport: http(rpcUrl, { batch: { batchSize: 100 } }), cacheTime: 0 });
  const relayerKeys = Array.from({ length: wallets }, (): Hex => generatePrivateKey());
  const relayers = relayerKeys.map((key): Address => privateKeyToAddress(key));
  const logger = createLogger({ level: 'silent', name: 'test' });
  const handle = createDatabase({ url: databaseUrl, applicationName: 'test', maxConnections: 4, logger });
  const close = async () => {
    await handle.close();
    await anvil.stop();
  };

  const shared = {
    ...inheritedEnvironment(),
    DATABASE_URL: databaseUrl,
    ENVIRONMENT: 'testnet',
    CHAINS: String(chainId),
    [`RPC_URL_${chainId}`]: rpcUrl,
    [`START_BLOCK_${chainId}`]: '0',
    [`CONFIRMATIONS_${chainId}`]: '1',
    INTERNAL_PORT: '0',
    WORKER_INTERNAL_PORT: '0',
    INDEXER_PORT: String(await findFreePort()),
    LOG_LEVEL: 'info',
    RATE_LIMIT_READS: '1000000',
    RATE_LIMIT_WRITES: '1000000',
  };
  // The worker signs with secrets that the API encrypted.
  const ofApi = { ENCRYPTION_KEY: randomBytes(32).toString('hex') };
  const ofWorker = { ...ofApi, RELAYER_PRIVATE_KEYS: relayerKeys.join(',') };
  const byKind: Record<ServiceKind | 'all', NodeJS.ProcessEnv> = {
    api: ofApi,
    worker: ofWorker,
    indexer: {},
    all: ofWorker,
  };
  try {
    await deployProtocol({ rpcUrl, chainId, factory, implementation });
    for (const address of relayers) await client.setBalance({ address, value: parseEther('10000') });
    await migrateDatabase(databaseUrl);
    const apiKey = await createDevKey(handle.database);

    return {
      chainId,
      factory,
      rpcUrl,
      anvilPid: anvil.pid,
      databaseUrl,
      client,
      reader,
      pool: handle.pool,
      apiKey,
      relayerKeys,
      relayers,
      close,
      /**
       * Starts a process of the service, or all three under their supervisor. The caller ends it; it also
       * ends with the caller.
       */
      start(
        kind: ServiceKind | 'all',
        process: {
          env?: NodeJS.ProcessEnv;
          nodeFlags?: readonly string[];
          onLine(line: string): void;
        },
      ): Child {
        const settings = kind === 'all' ? {} : processSettings[kind];
        return startChild({
          entry: findProgram(kind),
          ...settings,
          nodeFlags: [...(settings.nodeFlags ?? []), ...(process.nodeFlags ?? [])],
          env: { ...shared, ...byKind[kind], ...env, ...process.env },
          onLine: process.onLine,
          stopTimeoutMs,
        });
      },
      /** Waits until the index and the projection are at the chain's newest block. */
      async awaitFolded(timeoutMs = patienceMs): Promise<void> {
        await waitUntil(
          'everything is folded',
          async () => {
            const { hash } = await client.getBlock();
            const query = 'select 1 from service.projections where chain_id = $1 and head_hash = $2';
            return (await handle.pool.query(query, [chainId, hash])).rowCount === 1;
          },
          timeoutMs,
        );
      },
      /** Waits until a new block is folded; the chain must mine blocks by itself. */
      async awaitNewBlock(timeoutMs = patienceMs): Promise<void> {
        const number = await client.getBlockNumber();
        await waitUntil(
          'a new block is folded',
          async () => {
            const query = 'select 1 from service.projections where chain_id = $1 and head_number > $2';
            return (await handle.pool.query(query, [chainId, number])).rowCount === 1;
          },
          timeoutMs,
        );
      },
      /** Waits until a first request would succeed. */
      async awaitReady(): Promise<void> {
        // Live indexing begins with the next block, and an idle chain does not mine one by itself.
        await waitUntil(
          'the first block is folded',
          async () => {
            await client.mine({ blocks: 1 });
            const query = 'select 1 from service.projections where chain_id = $1';
            return (await handle.pool.query(query, [chainId])).rowCount === 1;
          },
          patienceMs,
        );
        await this.awaitFolded();
        const query = `select 1 from service.relayer_wallets where chain_id = $1 and status = 'active'`;
        await waitUntil(
          'the wallets are there',
          async () => (await handle.pool.query(query, [chainId])).rowCount === wallets,
          patienceMs,
        );
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
