import type { Hex } from 'viem';
import { loadSecretFiles } from '../../platform/config/secretFiles.ts';
import type { Environment } from '../../protocol/chains.ts';
import type { DevChain } from './devChain.ts';
import type { ServicePorts } from './servicePorts.ts';

const replaced =
  /^(RPC_URL|FACTORY_ADDRESS|START_BLOCK|CONFIRMATIONS|RELAYER_PRIVATE_KEYS|RELAYER_KEYSTORE|RELAYER_KMS)(_|$)/;

/**
 * The settings in which a development stack differs from `npm start`. Variables set by the user take
 * precedence.
 */
export const devDefaults: Readonly<Record<string, string>> = {
  LOG_LEVEL: 'info',
  RATE_LIMIT_READS: '100000',
  RATE_LIMIT_WRITES: '20000',
  WEBHOOK_ALLOWED_TARGETS: 'localhost,127.0.0.0/8,::1',
  // There is no balancer in front.
  SHUTDOWN_GRACE_MS: '0',
  // Local chains stand still until somebody sends a transaction, and date their blocks when they are mined.
  RULES_IDLE_SECONDS: '1',
};

/**
 * The user's variables, with secrets read from their files. Files for the chains and wallets that a development stack replaces are not
 * read.
 *
 * @throws ConfigurationError with every file that cannot be read.
 */
export function readDevVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isNeeded = (name: string) => !(replaced.test(name) && name.endsWith('_FILE'));
  const variables = Object.fromEntries(Object.entries(env).filter(([name]) => isNeeded(name)));
  loadSecretFiles(variables);
  return variables;
}

/**
 * The environment of a development stack's services: this process's own, with local chains in place of the
 * configured ones, and one confirmation on each. A fork is indexed from the fork's block, or from
 * `START_BLOCK_<chainId>`.
 */
export function buildDevEnvironment(options: {
  /** From `readDevVariables`. */
  env: NodeJS.ProcessEnv;
  environment: Environment;
  databaseUrl: string;
  ports: ServicePorts;
  chains: readonly (Pick<DevChain, 'chain' | 'forkedAt'> & {
    anvil: Pick<DevChain['anvil'], 'rpcUrl'>;
  })[];
  relayerKeys: readonly Hex[];
  encryptionKey: string;
}): NodeJS.ProcessEnv {
  const { env, environment, databaseUrl, ports, chains, relayerKeys, encryptionKey } = options;
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !replaced.test(name)));
  const perChain = chains.flatMap(({ chain: { chainId }, anvil, forkedAt }) => [
    [`RPC_URL_${chainId}`, anvil.rpcUrl],
    [`START_BLOCK_${chainId}`, forkedAt === null ? '0' : (env[`START_BLOCK_${chainId}`] ?? String(forkedAt))],
    [`CONFIRMATIONS_${chainId}`, '1'],
  ]);
  return {
    ...devDefaults,
    ENCRYPTION_KEY: encryptionKey,
    ...kept,
    ...Object.fromEntries(perChain),
    ENVIRONMENT: environment,
    CHAINS: chains.map(({ chain }) => chain.chainId).join(','),
    DATABASE_URL: databaseUrl,
    PORT: String(ports.api),
    INDEXER_PORT: String(ports.indexer),
    INTERNAL_PORT: String(ports.apiInternal),
    WORKER_INTERNAL_PORT: String(ports.workerInternal),
    RELAYER_PRIVATE_KEYS: relayerKeys.join(','),
  };
}
