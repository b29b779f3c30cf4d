import { createPublicClient, defineChain, fallback, http, type PublicClient } from 'viem';
import type { ChainConfiguration } from '../config/configuration.ts';

/** The clients of the followed chains by chain id; each lives as long as the process and holds nothing to close. */
export type ChainClients = ReadonlyMap<number, PublicClient>;

/** How many calls go out in one HTTP request; public endpoints refuse long batches. */
const batchSize = 20;
/** After every endpoint of a chain has failed, all are tried this many times more. */
const rounds = 1;
const retryDelayMs = 100;

/**
 * One client per chain. A call goes to the chain's first endpoint and, when that fails or does not answer within the
 * time-out, to the next; a revert is an answer. Calls made in the same tick share one HTTP request.
 */
export function createChainClients(
  chains: readonly Pick<ChainConfiguration, 'chainId' | 'name' | 'rpcUrls'>[],
  options: { rpcTimeoutMs: number },
): ChainClients {
  return new Map(chains.map((chain) => [chain.chainId, createChainClient(chain, options)]));
}

function createChainClient(
  { chainId, name, rpcUrls }: Pick<ChainConfiguration, 'chainId' | 'name' | 'rpcUrls'>,
  { rpcTimeoutMs }: { rpcTimeoutMs: number },
): PublicClient {
  const endpoints = rpcUrls.map((url) =>
    http(url, {
      batch: { batchSize },
      timeout: rpcTimeoutMs,
      retryCount: 0,
      fetchFn: fetchWithoutRetryAfter,
    }),
  );
  return createPublicClient({
    chain: defineChain({
      id: chainId,
      name,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: rpcUrls } },
    }),
    transport: fallback(endpoints, { rank: false, retryCount: rounds, retryDelay: retryDelayMs }),
    // Every answer decides about a permit: none may be remembered.
    cacheTime: 0,
  });
}

/** An endpoint that asks for a minute's patience would hold up a caller for that long: the next endpoint is asked instead. */
const fetchWithoutRetryAfter: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.headers.has('retry-after')) return response;
  const headers = new Headers(response.headers);
  headers.delete('retry-after');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
};
