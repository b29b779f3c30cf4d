import { createPublicClient, defineChain, type PublicClient } from 'viem';
import type { ChainConfiguration } from '../config/configuration.ts';
import { createEndpoint, describeEndpoint, type EndpointFacts, nameHosts } from './endpoint.ts';
import { failover } from './failover.ts';

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
};

type AccessedChain = Pick<ChainConfiguration, 'chainId' | 'name' | 'rpcUrls' | 'rpcRequestsPerSecond'>;

/**
 * Connects to the chains. A call goes to the chain's first endpoint and, when that fails, is limited, or does not answer within the
 * time-out, to the next; a revert is an answer. Calls made in the same tick share one HTTP request. What one client learns of an
 * endpoint all know.
 */
export function createChainAccess(
  chains: readonly AccessedChain[],
  { rpcTimeoutMs: timeoutMs }: { rpcTimeoutMs: number },
): ChainAccess {
  const all = chains.map(({ chainId, name, rpcUrls, rpcRequestsPerSecond: requestsPerSecond }) => {
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const chain = defineChain({ id: chainId, name, nativeCurrency, rpcUrls: { default: { http: rpcUrls } } });
    const hosts = nameHosts(rpcUrls);
    const endpoints = rpcUrls.map((url, at) =>
      createEndpoint({ url, host: hosts[at] ?? '', timeoutMs, requestsPerSecond }),
    );
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
  };
}
