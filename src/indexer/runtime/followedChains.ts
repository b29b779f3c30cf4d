import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { findChainDefaults } from '../../platform/config/chainDefaults.ts';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { askNode } from './askEndpoint.ts';
import { isLocalUrl } from './isLocalUrl.ts';

const initialDelayMs = 500;
const longestDelayMs = 5_000;

/**
 * How long a node that starts together with the indexer may take to answer before the other chains go on
 * without it.
 */
const patienceMs = 10_000;

export type FollowedChains = {
  /** The start block of each chain, as far as its nodes have answered. */
  readStartBlocks(): Map<number, number>;
  /** The chains whose nodes have not answered yet. They are still being asked. */
  listSilent(): ChainConfiguration[];
  /** Resolves with the first of these chains that has an answering node. Never if there are none. */
  awaitAnswer(chains: readonly ChainConfiguration[]): Promise<ChainConfiguration>;
  /** @throws ConfigurationError as soon as an endpoint turns out to belong to another chain, however late that is. */
  readonly allAnswered: Promise<unknown>;
};

/**
 * Asks the nodes of every chain. Returns once every chain has a node that answers and is up to date, or some
 * have and the others have not for ten seconds. Each chain is followed from the configured block, or else
 * from the registry's. If a local chain with the same id is shorter than that, it is followed from 0. Any other node
 * that ends before the registry's block is not up to date: another first block would be another index.
 *
 * @throws ConfigurationError if an endpoint belongs to another chain.
 */
export async function followChains(options: {
  chains: readonly ChainConfiguration[];
  rpcTimeoutMs: number;
  logger: Logger;
}): Promise<FollowedChains> {
  const { chains, rpcTimeoutMs } = options;
  const heads = new Map<ChainConfiguration, number>();
  const ask = async (chain: ChainConfiguration) => {
    const logger = options.logger.child({ chain: chain.name, chainId: chain.chainId });
    const head = await waitForHead(chain, rpcTimeoutMs, logger);
    heads.set(chain, head);
    logger.info({ head, startBlock: findStartBlock(chain, head) }, 'the chain answers');
    return chain;
  };
  const asked = new Map(chains.map((chain) => [chain, ask(chain)]));
  const allAnswered = Promise.all(asked.values());
  await Promise.race([allAnswered, Promise.any(asked.values()).then(() => delay(patienceMs))]);
  return {
    readStartBlocks: () =>
      new Map(chains.map((chain) => [chain.chainId, findStartBlock(chain, heads.get(chain))])),
    listSilent: () => chains.filter((chain) => !heads.has(chain)),
    awaitAnswer: (silent) => Promise.race(silent.flatMap((chain) => asked.get(chain) ?? [])),
    allAnswered,
  };
}

function findStartBlock({ chainId, startBlock }: ChainConfiguration, head: number | undefined): number {
  const registered = findChainDefaults(chainId)?.startBlock ?? 0;
  return startBlock ?? (head !== undefined && head < registered ? 0 : registered);
}

/** Why a node with this latest block is not up to date, if its chain is not a local one. */
function findMissing(chain: ChainConfiguration, head: number): string | undefined {
  const { chainId, startBlock, rpcUrls } = chain;
  const first = findStartBlock(chain, undefined);
  if (startBlock !== undefined || head >= first || rpcUrls.every(isLocalUrl)) return undefined;
  return `its latest block ${head} is before ${first}, the first block to index; for a chain of your own set START_BLOCK_${chainId}`;
}

/** The highest block of the chain's nodes, once one of them is usable; the others may start later. */
async function waitForHead(chain: ChainConfiguration, timeoutMs: number, logger: Logger): Promise<number> {
  for (let delayMs = initialDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    const heads = await askEndpoints(chain, timeoutMs, logger);
    if (heads.length > 0) return Math.max(...heads);
    logger.warn({ retryInMs: delayMs }, 'waiting for a node of this chain');
    await delay(delayMs);
  }
}

/** URLs may contain keys, so only variables and hosts are named. */
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
    const missing = head === undefined ? undefined : findMissing(chain, head);
    const reason = trouble ?? missing;
    if (reason) logger.warn({ host, trouble: reason }, 'a node of this chain cannot be used');
    if (head !== undefined && !missing) heads.push(head);
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return heads;
}
