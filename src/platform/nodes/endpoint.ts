import type { Logger } from 'pino';
import { createBatchedRpc, type RpcCall } from './batchedRpc.ts';
import { createCheckedRpc } from './checkedRpc.ts';
import { createEndpointHealth, type EndpointHealth, type EndpointStatus } from './endpointHealth.ts';
import type { EndpointHeight } from './endpointHeights.ts';
import { createRequestBudget, type RequestBudget } from './requestBudget.ts';

/** One endpoint of a chain, with this process's knowledge about it. */
export type Endpoint = {
  /** Only the URL's host and port: path, query and user may contain the key. */
  readonly host: string;
  readonly health: EndpointHealth;
  readonly budget: RequestBudget;
  readonly height: EndpointHeight;
  /** Throws viem's errors, and OtherChainError if the endpoint belongs to another chain. */
  ask(call: RpcCall): Promise<unknown>;
};

export type EndpointFacts = {
  readonly chainId: number;
  readonly host: string;
  /**
   * `lagging`: it answers, but is asked last, because it lacks blocks that others have or claims a head that
   * it cannot show.
   */
  readonly status: EndpointStatus | 'lagging';
  /** The latest block that it reported; null if none. */
  readonly blockNumber: number | null;
  readonly behindBlocks: number;
  readonly restsForMs: number;
  readonly failuresInARow: number;
  /** HTTP requests since the process started, by outcome. */
  readonly requests: ReturnType<EndpointHealth['counts']>;
};

/** Creates an endpoint; the first call connects. */
export function createEndpoint(options: {
  chainId: number;
  url: string;
  host: string;
  timeoutMs: number;
  requestsPerSecond: number | undefined;
  height: EndpointHeight;
  logger?: Logger | undefined;
}): Endpoint {
  const { chainId, url, host, timeoutMs, requestsPerSecond, height, logger } = options;
  const health = createEndpointHealth();
  const ask = createCheckedRpc({
    chainId,
    host,
    health,
    ask: createBatchedRpc({ url, timeoutMs, health }),
    onOtherChain: (answered) =>
      logger?.error({ chainId, host, answered }, 'a node belongs to another chain and is not used'),
  });
  return { host, health, budget: createRequestBudget(requestsPerSecond), height, ask };
}

export function describeEndpoint(chainId: number, { host, health, height }: Endpoint): EndpointFacts {
  return {
    chainId,
    host,
    status: health.status() === 'ok' && height.isLagging() ? 'lagging' : health.status(),
    blockNumber: height.latest() ?? null,
    behindBlocks: height.behindBlocks(),
    restsForMs: health.restsForMs(),
    failuresInARow: health.failuresInARow(),
    requests: health.counts(),
  };
}

/** The hosts of URLs, each with a unique name: `node.example`, `node.example#2`. */
export function nameHosts(urls: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return urls.map((url) => {
    const { host } = new URL(url);
    const number = (seen.get(host) ?? 0) + 1;
    seen.set(host, number);
    return number === 1 ? host : `${host}#${number}`;
  });
}
