import { createClient, hexToNumber } from 'viem';
import { buildTransport } from './buildTransport.ts';

/** A node's chain and latest block, or why it is not usable now. */
export type EndpointAnswer = { chainId?: number; head?: number; trouble?: string };

/**
 * Asks a node over HTTP for its chain and its latest block. A node that is still synchronising is not usable
 * yet.
 */
export async function askNode(url: string, timeoutMs: number): Promise<EndpointAnswer> {
  const client = createClient({ transport: buildTransport(url, { timeoutMs, retryCount: 0 }) });
  try {
    const chainId = hexToNumber(await client.request({ method: 'eth_chainId' }));
    const head = hexToNumber(await client.request({ method: 'eth_blockNumber' }));
    // Many providers do not offer the method; their nodes have not just been started.
    const syncing = await client.request({ method: 'eth_syncing' }).catch(() => false);
    return syncing === false ? { chainId, head } : { chainId, trouble: 'it is still synchronising' };
  } catch (error) {
    return { trouble: firstLine(error) };
  }
}

/** viem's messages continue with the URL, which may contain a key. */
function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : 'it does not answer';
}
