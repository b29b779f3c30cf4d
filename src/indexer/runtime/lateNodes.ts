import type { ChainConfiguration } from '../../platform/config/configuration.ts';

/** For so long what one node had is held against the others. A chain that has become shorter is believed afterwards. */
const rememberedMs = 10_000;

const latestBlock = /"method":"eth_getBlockByNumber".*"latest"/;
const blockNumber = /"number":"(0x[0-9a-f]+)"/i;

type Newest = { url: string; number: number; seenAt: number };

/**
 * Ponder takes a newest block below the one that it has for a reorganisation, and takes back what came after: so it goes to and fro
 * between nodes of which one is behind. From here on a node of several that is behind another one gives no newest block and is
 * left alone for a while.
 */
export function passOverLateNodes(chains: readonly Pick<ChainConfiguration, 'rpcUrls'>[]): void {
  const newestOf = new Map<string, { newest?: Newest }>();
  for (const { rpcUrls } of chains) {
    const shared = {};
    if (rpcUrls.length > 1) for (const url of rpcUrls) newestOf.set(url, shared);
  }
  const fetchUrl = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const chain = input instanceof Request ? newestOf.get(input.url) : undefined;
    if (!(input instanceof Request) || !chain || !latestBlock.test(await input.clone().text()))
      return fetchUrl(input, init);
    const { url } = input;
    const response = await fetchUrl(input, init);
    const answer = await response.text();
    const { status } = response;
    const number = Number(blockNumber.exec(answer)?.[1]);
    const { newest } = chain;
    const nowMs = performance.now();
    const isLate =
      newest && newest.url !== url && number < newest.number && nowMs - newest.seenAt < rememberedMs;
    if (isLate) return Response.json({ jsonrpc: '2.0', error: late }, { status: tooManyRequests });
    if (status === 200 && !Number.isNaN(number)) chain.newest = { url, number, seenAt: nowMs };
    return new Response(answer, { status, headers });
  };
}

/** What Ponder rests a node for, some seconds at most, and goes on with another one. */
const tooManyRequests = 429;
const late = { code: -32_001, message: 'this node is behind another one' };
const headers = { 'content-type': 'application/json' };
