import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { findChain } from '../../protocol/chains.ts';
import { askNode } from './askEndpoint.ts';

const initialDelayMs = 500;
const longestDelayMs = 5_000;

/**
 * Waits until every chain has a node that answers and is up to date, and says from which block each is to be followed:
 * the configured one, else the registry's, else 0 on a chain that is shorter than that (a local one behind the same id).
 *
 * @throws ConfigurationError as soon as an endpoint turns out to belong to another chain.
 */
export async function resolveStartBlocks(options: {
  chains: readonly ChainConfiguration[];
  rpcTimeoutMs: number;
  logger: Logger;
}): Promise<Map<number, number>> {
  const resolved = options.chains.map(async (chain) => {
    const logger = options.logger.child({ chain: chain.name, chainId: chain.chainId });
    const head = await waitForHead(chain, options.rpcTimeoutMs, logger);
    const registered = findChain(chain.chainId)?.startBlock ?? 0;
    const startBlock = chain.startBlock ?? (head < registered ? 0 : registered);
    logger.info({ head, startBlock }, 'the chain answers');
    return [chain.chainId, startBlock] as const;
  });
  return new Map(await Promise.all(resolved));
}

/** The highest block of the chain's nodes, once one of them is usable; the others may come up later. */
async function waitForHead(chain: ChainConfiguration, timeoutMs: number, logger: Logger): Promise<number> {
  for (let delayMs = initialDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    const heads = await askEndpoints(chain, timeoutMs, logger);
    if (heads.length > 0) return Math.max(...heads);
    logger.warn({ retryInMs: delayMs }, 'waiting for a node of this chain');
    await delay(delayMs);
  }
}

/** URLs may hold keys, so only variables and hosts are named. */
async function askEndpoints(chain: ChainConfiguration, timeoutMs: number, logger: Logger): Promise<number[]> {
  const { chainId, name, rpcUrls } = chain;
  const asked = rpcUrls.map((url) => ({
    url,
    variable: `RPC_URL_${chainId}`,
    answer: askNode(url, timeoutMs),
  }));

  const heads: number[] = [];
  const problems: string[] = [];
  for (const { url, variable, answer } of asked) {
    const { host } = new URL(url);
    const { chainId: actual, head, trouble } = await answer;
    if (actual !== undefined && actual !== chainId) {
      problems.push(`${variable}: ${host} is a node of chain ${actual}, not of ${chainId} (${name})`);
    }
    if (trouble) logger.warn({ host, trouble }, 'a node of this chain is not usable');
    if (head !== undefined) heads.push(head);
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return heads;
}
