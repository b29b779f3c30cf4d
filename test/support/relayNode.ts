import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from './listenLocally.ts';

export type RpcCall = { id: number; method: string; params: unknown[] };
/**
 * What the proxy does with a call: pass it, answer itself, change its parameters, or lose the request or the
 * answer.
 */
export type Disturbance =
  | undefined
  | { error: { code: number; message: string } }
  | { result: unknown }
  | { params: unknown[] }
  | 'loseRequest'
  | 'loseAnswer';

/**
 * What happens to a whole HTTP request with all its calls: it is refused by a rate limit, or never answered.
 */
export type RequestDisturbance = undefined | 'refuse' | 'silence';

export type DisturbedNode = {
  url: string;
  /** Number of calls received so far, by method. */
  count(method: string): number;
  close(): Promise<void>;
};

/** A proxy to a real node, disturbed by `disturb`. A lost call gets 503, as from gateways. */
export async function createDisturbedNode(
  rpcUrl: string,
  disturb: (call: RpcCall) => Disturbance | Promise<Disturbance>,
  disturbRequest: () => RequestDisturbance = () => undefined,
): Promise<DisturbedNode> {
  const counts = new Map<string, number>();
  const answer = async (call: RpcCall): Promise<object | undefined> => {
    counts.set(call.method, (counts.get(call.method) ?? 0) + 1);
    const disturbance = await disturb(call);
    if (disturbance === 'loseRequest') return undefined;
    const other = typeof disturbance === 'object' ? disturbance : {};
    if ('error' in other || 'result' in other) return { jsonrpc: '2.0', id: call.id, ...other };
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...call, ...other }),
    });
    const body = Object(await response.json());
    return disturbance === 'loseAnswer' ? undefined : body;
  };
  const handle = async (request: IncomingMessage): Promise<string | undefined> => {
    const body: RpcCall | RpcCall[] = JSON.parse(await text(request));
    const calls = Array.isArray(body) ? body : [body];
    const answers: object[] = [];
    let isLost = false;
    for (const call of calls) {
      const one = await answer(call);
      if (one) answers.push(one);
      else isLost = true;
    }
    if (isLost) return undefined;
    return JSON.stringify(Array.isArray(body) ? answers : answers[0]);
  };
  const server = createServer((request, response) => {
    const disturbance = disturbRequest();
    if (disturbance === 'refuse') {
      request.resume();
      response.writeHead(429, { 'retry-after': '1' }).end();
    }
    if (disturbance) return;
    handle(request).then(
      (body) => response.writeHead(body ? 200 : 503, { 'content-type': 'application/json' }).end(body),
      () => response.writeHead(502).end(),
    );
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    count: (method) => counts.get(method) ?? 0,
    close,
  };
}
