import { z } from 'zod';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';

/** An error for which Ponder rests a node, for some seconds at most, and goes on with another. */
const tooManyRequests = 429;
const patienceMs = 2_000;

const latestBlock = /"method":"eth_getBlockByNumber".*"latest"/;
const blockNumber = /"number":"(0x[0-9a-f]+)"/i;
const answerShape = z.object({ result: z.string() });

/** The endpoints of a chain, and the newest block reported to Ponder. */
type Followed = { readonly urls: readonly string[]; newest: number };

/**
 * Ponder takes a newest block below its current one for a reorg, and takes back everything above it. Between
 * nodes of which one lags it would go back and forth. So a node whose newest block is below the last one
 * reports none while another node of the chain has a newer one. If no other node has, the chain really became
 * shorter.
 */
export function passOverLateNodes(chains: readonly Pick<ChainConfiguration, 'rpcUrls'>[]): void {
  const followed = new Map<string, Followed>();
  for (const { rpcUrls } of chains) {
    const chain = { urls: rpcUrls, newest: 0 };
    if (rpcUrls.length > 1) for (const url of rpcUrls) followed.set(url, chain);
  }
  const fetchUrl = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const chain = input instanceof Request ? followed.get(input.url) : undefined;
    if (!(input instanceof Request) || !chain || !latestBlock.test(await input.clone().text()))
      return fetchUrl(input, init);
    const { url } = input;
    const response = await fetchUrl(input, init);
    const answer = await response.text();
    const { status } = response;
    const number = Number(blockNumber.exec(answer)?.[1]);
    if (status !== 200 || Number.isNaN(number)) return new Response(answer, { status, headers });
    if (number < chain.newest) {
      const others = chain.urls.filter((other) => other !== url);
      const heads = await Promise.all(others.map((other) => askHead(other, fetchUrl)));
      if (heads.some((head) => head > number))
        return new Response(late, { status: tooManyRequests, headers });
    }
    chain.newest = number;
    return new Response(answer, { status, headers });
  };
}

/** The newest block of another node; -1 if it does not answer. */
async function askHead(url: string, fetchUrl: typeof fetch): Promise<number> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetchUrl(url, { method: 'POST', headers, body, signal });
    return Number(answerShape.parse(await response.json()).result);
  } catch {
    return -1;
  }
}

const late = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_001, message: 'this node is behind' } });
const headers = { 'content-type': 'application/json' };
