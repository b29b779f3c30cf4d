import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { findProgram } from '../../../src/cli/build/builtPrograms.ts';
import { createDevKey } from '../../../src/cli/dev/devAccess.ts';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { processSettings } from '../../../src/cli/services/processSettings.ts';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { migrateDatabase } from '../../../src/platform/database/migrateDatabase.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import { type Child, startChild } from '../../../src/platform/supervision/child.ts';
import { type Indexer, startIndexer } from '../../support/indexer.ts';
import { inheritedEnvironment } from '../../support/inheritedEnvironment.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type Chain, startChain } from './chain.ts';

const chainIds = [59_141, 11_155_111, 84_532];
/** The service's promise holds for reorgs that are shallower than this. */
export const confirmations = 3;
const settings = {
  RELAYER_POLL_MS: '250',
  RELAYER_LEASE_MS: '1000',
  RELAYER_RESEND_SECONDS: '1',
  SIGNING_WAIT_MS: '3000',
  DEPLOY_WAIT_MS: '20000',
  WEBHOOK_ALLOWED_TARGETS: '127.0.0.1',
  WEBHOOK_BACKOFF_SECONDS: '1',
  WEBHOOK_BACKOFF_MAX_SECONDS: '2',
  WEBHOOK_ATTEMPTS: '30',
  RATE_LIMIT_READS: '1000000',
  RATE_LIMIT_WRITES: '1000000',
};

export type Stack = Awaited<ReturnType<typeof createStack>>;

/**
 * Three chains and a database, with functions that start the service's processes on them. The caller closes
 * it, after the processes.
 */
export async function createStack({
  databaseUrl,
  onLine,
}: {
  databaseUrl: string;
  onLine(line: string): void;
}) {
  const closings: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await create({ databaseUrl, onLine }, (closing) => closings.push(closing))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function create(
  { databaseUrl, onLine }: { databaseUrl: string; onLine(line: string): void },
  onClose: (closing: () => Promise<unknown>) => void,
) {
  const relayerKey = generatePrivateKey();
  const chains: Chain[] = [];
  for (const chainId of chainIds) {
    const chain = await startChain(chainId, [privateKeyToAddress(relayerKey)]);
    onClose(chain.stop);
    chains.push(chain);
  }
  await migrateDatabase(databaseUrl);
  const logger = createLogger({ level: 'silent', name: 'test' });
  const handle = createDatabase({ url: databaseUrl, applicationName: 'test', maxConnections: 4, logger });
  onClose(handle.close);
  const apiKey = await createDevKey(handle.database);
  const apiPort = await findFreePort();
  const shared = {
    ...inheritedEnvironment(),
    ...settings,
    DATABASE_URL: databaseUrl,
    ENVIRONMENT: 'testnet',
    CHAINS: chainIds.join(','),
    ...Object.fromEntries(
      chains.flatMap(({ chainId, rpcUrl }) => [
        [`RPC_URL_${chainId}`, rpcUrl],
        [`START_BLOCK_${chainId}`, '0'],
        [`CONFIRMATIONS_${chainId}`, String(confirmations)],
      ]),
    ),
    INTERNAL_PORT: '0',
    WORKER_INTERNAL_PORT: '0',
  };
  const byKind = { api: { PORT: String(apiPort) }, worker: { RELAYER_PRIVATE_KEYS: relayerKey } };

  return {
    chains,
    pool: handle.pool,
    apiKey,
    baseUrl: `http://127.0.0.1:${apiPort}`,
    /** Starts an API or a worker. The caller ends it; it also ends with the caller. */
    start(
      kind: 'api' | 'worker',
      process: { name: string; env?: NodeJS.ProcessEnv; onReady(): void },
    ): Child {
      const { name, env = {}, onReady } = process;
      return startChild({
        entry: findProgram(kind),
        ...processSettings[kind],
        env: { ...shared, ...byKind[kind], ...env },
        onLine(line) {
          if (line.includes('"msg":"started"')) onReady();
          onLine(`${name}: ${line}`);
        },
      });
    },
    /** Starts an indexer. With another first block, it builds a new index under another schema. */
    startIndexer: (startBlock: number): Promise<Indexer> =>
      startIndexer({
        databaseUrl,
        chains,
        env: Object.fromEntries(chains.map(({ chainId }) => [`START_BLOCK_${chainId}`, String(startBlock)])),
      }),
    /** Waits until index and records have reached the newest block of these chains. */
    async awaitFolded(timeoutMs: number, awaited: readonly Chain[] = chains): Promise<void> {
      await waitUntil(
        'everything is folded',
        async () => {
          for (const { chainId, client } of awaited) {
            const { hash } = await client.getBlock();
            const query = 'select 1 from service.projections where chain_id = $1 and head_hash = $2';
            if ((await handle.pool.query(query, [chainId, hash])).rowCount !== 1) return false;
          }
          return true;
        },
        timeoutMs,
      );
    },
  };
}
