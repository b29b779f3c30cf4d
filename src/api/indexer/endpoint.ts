import { createClient, hexToNumber, http } from 'viem';
import { z } from 'zod';

/** What a node says of its chain, or why it is not usable now. The head is missing where it was not asked for. */
export type EndpointAnswer = { chainId?: number; head?: number; trouble?: string };

/** Asks a node over HTTP for its chain and its latest block; one that still synchronises is not usable yet. */
export async function askNode(url: string, timeoutMs: number): Promise<EndpointAnswer> {
  const client = createClient({ transport: http(url, { retryCount: 0, timeout: timeoutMs }) });
  try {
    const chainId = hexToNumber(await client.request({ method: 'eth_chainId' }));
    const head = hexToNumber(await client.request({ method: 'eth_blockNumber' }));
    // Many providers do not offer the method; those are not nodes that were started a moment ago.
    const syncing = await client.request({ method: 'eth_syncing' }).catch(() => false);
    return syncing === false ? { chainId, head } : { chainId, trouble: 'it is still synchronising' };
  } catch (error) {
    return { trouble: firstLine(error) };
  }
}

const chainIdResponse = z.object({ result: z.string().regex(/^0x[0-9a-f]+$/i) });

/** Asks a node over a websocket for its chain. */
export async function askSocket(url: string, timeoutMs: number): Promise<EndpointAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<EndpointAnswer>();
  const socket = new WebSocket(url);
  socket.onopen = () => socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}');
  socket.onerror = () => reject(new Error('the connection failed'));
  socket.onclose = () => reject(new Error('the connection was closed'));
  socket.onmessage = ({ data }) => {
    const response = chainIdResponse.safeParse(JSON.parse(String(data)));
    if (response.success) resolve({ chainId: Number(response.data.result) });
    else reject(new Error('the answer holds no chain id'));
  };
  const overdue = setTimeout(() => reject(new Error('it does not answer')), timeoutMs);
  try {
    return await promise;
  } catch (error) {
    return { trouble: firstLine(error) };
  } finally {
    clearTimeout(overdue);
    socket.close();
  }
}

/** viem's messages go on with the URL, which may hold a key. */
function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : 'it does not answer';
}
