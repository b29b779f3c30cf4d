import { createBatchedRpc, type RpcCall } from './batchedRpc.ts';
import { createEndpointHealth, type EndpointHealth, type EndpointStatus } from './endpointHealth.ts';
import type { EndpointHeight } from './endpointHeights.ts';
import { createRequestBudget, type RequestBudget } from './requestBudget.ts';

/** One way to a chain, with what this process knows of it. */
export type Endpoint = {
  /** Host and port of the URL alone: path, query and user may be the key to it. */
  readonly host: string;
  readonly health: EndpointHealth;
  readonly budget: RequestBudget;
  readonly height: EndpointHeight;
  /** Throws viem's errors. */
  ask(call: RpcCall): Promise<unknown>;
};

/** What operators are shown of an endpoint. */
export type EndpointFacts = {
  readonly chainId: number;
  readonly host: string;
  /** `lagging`: it answers, and is asked after the others, since it has not what they have, or claims a head that it cannot show. */
  readonly status: EndpointStatus | 'lagging';
  /** The latest block that it has told; null where it has told none. */
  readonly blockNumber: number | null;
  readonly behindBlocks: number;
  readonly restsForMs: number;
  readonly failuresInARow: number;
  /** HTTP requests since the process started, by what became of them. */
  readonly requests: ReturnType<EndpointHealth['counts']>;
};

/** Connects to an endpoint; nothing is asked before somebody does. */
export function createEndpoint(options: {
  url: string;
  host: string;
  timeoutMs: number;
  requestsPerSecond: number | undefined;
  height: EndpointHeight;
}): Endpoint {
  const { url, host, timeoutMs, requestsPerSecond, height } = options;
  const health = createEndpointHealth();
  const ask = createBatchedRpc({ url, timeoutMs, health });
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

/** The hosts of URLs, each by a name of its own: `node.example`, `node.example#2`. */
export function nameHosts(urls: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return urls.map((url) => {
    const { host } = new URL(url);
    const number = (seen.get(host) ?? 0) + 1;
    seen.set(host, number);
    return number === 1 ? host : `${host}#${number}`;
  });
}
