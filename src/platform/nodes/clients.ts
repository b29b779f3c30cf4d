import { createPublicClient, defineChain, type PublicClient } from 'viem';
import type { ChainConfiguration } from '../config/configuration.ts';
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

/** The clients of the followed chains by chain id; each lives as long as the process and holds nothing to close. */
export type ChainClients = ReadonlyMap<number, PublicClient>;

/** The ways of one process to its chains. */
export type ChainAccess = {
  /** Over all endpoints of a chain, in turn. */
  readonly clients: ChainClients;
  /** Over each endpoint by itself, by chain id. */
  readonly endpointClients: ReadonlyMap<number, readonly PublicClient[]>;
  /** How the endpoints are now. */
  describe(): EndpointFacts[];
  /** The latest block that a usable endpoint of the chain has told; undefined where none has. */
  latestBlock(chainId: number): number | undefined;
  /** Asks the endpoints for their latest blocks until it is closed: from then on one that lags is asked after the others. */
  watchHeights(intervalMs?: number): { close(): void };
};

type Reached = Pick<ChainConfiguration, 'rpcUrls' | 'rpcRequestsPerSecond'>;
type AccessedChain = Reached & Pick<ChainConfiguration, 'chainId' | 'name'>;

function createEndpoints(
  { rpcUrls, rpcRequestsPerSecond: requestsPerSecond }: Reached,
  timeoutMs: number,
): Endpoint[] {
  const hosts = nameHosts(rpcUrls);
  return createEndpointHeights(rpcUrls.length).map((height, at) =>
    createEndpoint({ url: rpcUrls[at] ?? '', host: hosts[at] ?? '', timeoutMs, requestsPerSecond, height }),
  );
}

/**
 * Connects to the chains. A call goes to the chain's first endpoint that is up to date and, when that fails, is limited, or does not
 * answer within the time-out, to the next; a revert is an answer. Calls made in the same tick share one HTTP request. What one client learns of an
 * endpoint all know.
 */
export function createChainAccess(
  chains: readonly AccessedChain[],
  { rpcTimeoutMs: timeoutMs }: { rpcTimeoutMs: number },
): ChainAccess {
  const all = chains.map(({ chainId, name, ...reached }) => {
    const { rpcUrls } = reached;
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const chain = defineChain({ id: chainId, name, nativeCurrency, rpcUrls: { default: { http: rpcUrls } } });
    const endpoints = createEndpoints(reached, timeoutMs);
    const connect = (over: typeof endpoints): PublicClient =>
      // Every answer decides about a permit: none may be remembered.
      createPublicClient({ chain, transport: failover(over, { timeoutMs }), cacheTime: 0 });
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
