import type { Logger } from 'pino';
import { createPublicClient, defineChain, type PublicClient } from 'viem';
import type { ChainConfiguration } from '../config/configuration.ts';
import { RefusedError } from '../errors/serviceError.ts';
import {
  createEndpoint,
  describeEndpoint,
  type Endpoint,
  type EndpointFacts,
  nameHosts,
} from './endpoint.ts';
import { createEndpointHeights } from './endpointHeights.ts';
import { failover } from './failover.ts';
import { watchHeights } from './watchHeights.ts';

/** The clients of the followed chains by chain id. Each lives as long as the process and has nothing to close. */
export type ChainClients = ReadonlyMap<number, PublicClient>;

/**
 * @throws RefusedError `unsupported_chain` for a chain that is not followed: there may be records from when it was. Only a change
 * of the configuration helps, so callers are not told to repeat the request.
 */
export function clientOf(chainId: number, { clients }: { clients: ChainClients }): PublicClient {
  const client = clients.get(chainId);
  if (client) return client;
  throw new RefusedError('unsupported_chain', 'The service does not follow the chain of the agreement now.', {
    facts: { chainId, supportedChainIds: [...clients.keys()] },
  });
}

export type ChainAccess = {
  /** Clients over all endpoints of a chain, with failover. */
  readonly clients: ChainClients;
  /** Clients over each single endpoint, by chain id. */
  readonly endpointClients: ReadonlyMap<number, readonly PublicClient[]>;
  describe(): EndpointFacts[];
  /** The latest block reported by a usable endpoint of the chain; undefined if there is none. */
  latestBlock(chainId: number): number | undefined;
  /**
   * Polls the endpoints for their latest blocks until it is closed. From then on, endpoints that lag are
   * asked last.
   */
  watchHeights(intervalMs?: number): { close(): void };
};

type Reached = Pick<ChainConfiguration, 'chainId' | 'rpcUrls' | 'rpcRequestsPerSecond'>;
type AccessedChain = Reached & Pick<ChainConfiguration, 'name'>;

function createEndpoints(
  { chainId, rpcUrls, rpcRequestsPerSecond: requestsPerSecond }: Reached,
  { timeoutMs, logger }: { timeoutMs: number; logger?: Logger | undefined },
): Endpoint[] {
  const hosts = nameHosts(rpcUrls);
  return createEndpointHeights(rpcUrls.length).map((height, at) =>
    createEndpoint({
      chainId,
      url: rpcUrls[at] ?? '',
      host: hosts[at] ?? '',
      timeoutMs,
      requestsPerSecond,
      height,
      logger,
    }),
  );
}

/**
 * Connects to the chains. A call goes to the chain's first endpoint that is up to date. If that fails, is
 * limited, times out, or belongs to another chain, the next endpoint is asked; a revert is an answer. Calls made in the same tick share
 * one HTTP request. All clients share what one learns about an endpoint.
 */
export function createChainAccess(
  chains: readonly AccessedChain[],
  { rpcTimeoutMs: timeoutMs }: { rpcTimeoutMs: number },
  logger?: Logger,
): ChainAccess {
  const all = chains.map(({ name, ...reached }) => {
    const { chainId, rpcUrls } = reached;
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const chain = defineChain({ id: chainId, name, nativeCurrency, rpcUrls: { default: { http: rpcUrls } } });
    const endpoints = createEndpoints(reached, { timeoutMs, logger });
    const connect = (over: typeof endpoints): PublicClient =>
      // Every answer decides about a permit, so none may be cached. A revert may name any URLs to ask (EIP-3668), also
      // those of this network.
      createPublicClient({ chain, transport: failover(over, { timeoutMs }), cacheTime: 0, ccipRead: false });
    return { chainId, endpoints, client: connect(endpoints), each: endpoints.map((one) => connect([one])) };
  });
  return {
    clients: new Map(all.map(({ chainId, client }) => [chainId, client])),
    endpointClients: new Map(all.map(({ chainId, each }) => [chainId, each])),
    describe: () =>
      all.flatMap(({ chainId, endpoints }) => endpoints.map((one) => describeEndpoint(chainId, one))),
    latestBlock(chainId) {
      const endpoints = all.find((chain) => chain.chainId === chainId)?.endpoints ?? [];
      const usable = endpoints.filter(({ health }) => health.status() === 'ok');
      const blocks = usable.flatMap(({ height }) => height.latest() ?? []);
      return blocks.length > 0 ? Math.max(...blocks) : undefined;
    },
    watchHeights(intervalMs) {
      const watches = all.map(({ endpoints }) => watchHeights(endpoints, intervalMs));
      return {
        close() {
          for (const watch of watches) watch.close();
        },
      };
    },
  };
}
