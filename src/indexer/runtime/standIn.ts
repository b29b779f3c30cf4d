import { z } from 'zod';
import { findChainDefaults } from '../../platform/config/chainDefaults.ts';

/** The last block that the index holds as final, or the one before the first that it will hold. */
export type Place = { readonly chainId: number; readonly number: number; readonly timestamp: number };

const requestShape = z.object({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
type Request = z.output<typeof requestShape>;

const zeroHash = `0x${'0'.repeat(64)}`;
const zeroBloom = `0x${'0'.repeat(512)}`;
const notFound = { code: -32_601, message: 'no node of this chain answers' };

/**
 * Ponder starts no chain without all others. This lets it continue without the nodes of some chains. For Ponder, each
 * of these chains stays at its position. All other requests about it are refused, so that nothing of it is indexed or
 * cached. Sets the endpoints of these chains in the environment, from which ponder.config.ts reads them.
 */
export function standIn(places: readonly Place[], env: NodeJS.ProcessEnv): void {
  const byUrl = new Map<string, Place>();
  for (const place of places) {
    const url = `http://no-node.invalid/${place.chainId}`;
    env[`RPC_URL_${place.chainId}`] = url;
    byUrl.set(url, place);
  }
  const fetchUrl = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const place = byUrl.get(input instanceof Request ? input.url : String(input));
    if (!place) return fetchUrl(input, init);
    const request = requestShape.parse(await new Request(input, init).json());
    return Response.json({ jsonrpc: '2.0', id: request.id, ...answer(place, request) });
  };
}

function answer(place: Place, { method, params }: Request): { result: unknown } | { error: object } {
  if (method === 'eth_chainId') return { result: toHex(place.chainId) };
  if (method === 'eth_getBlockByNumber') return { result: describeBlock(place, params) };
  // The first block has no transactions.
  const [range] = params;
  const isFirst = genesisRange.safeParse(range).success;
  return method === 'eth_getLogs' && isFirst ? { result: [] } : { error: notFound };
}

const genesisRange = z.object({ fromBlock: z.literal('0x0'), toBlock: z.literal('0x0') });

/**
 * At its start Ponder computes the final block from the latest, and requests it without transactions. Later
 * it polls with transactions; the block that it already holds is then no news.
 */
function describeBlock(
  { chainId, number: held, timestamp }: Place,
  [tag, withTransactions]: unknown[],
): object {
  const ahead = withTransactions === true ? 0 : (findChainDefaults(chainId)?.finalityBlocks ?? 0);
  const number = tag === 'latest' ? held + ahead : Number(tag);
  return {
    number: toHex(number),
    hash: `0x${number.toString(16).padStart(64, '0')}`,
    parentHash: zeroHash,
    timestamp: toHex(timestamp),
    logsBloom: zeroBloom,
    transactions: [],
  };
}

function toHex(value: number): string {
  return `0x${value.toString(16)}`;
}
