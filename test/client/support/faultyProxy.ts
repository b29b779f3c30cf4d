import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * The faults of the proxy. At `cutDuring` the service is still handling the request; from `cutAfter` on it
 * has handled it.
 */
export const faults = [
  'cutBefore',
  'rateLimited',
  'unavailable',
  'cutDuring',
  'cutAfter',
  'slow',
  'truncated',
  'page',
] as const;
export type Fault = (typeof faults)[number] | 'none';

/** A request, with the service's answer if it has handled the request. */
export type Passed = {
  fault: Fault;
  method: string;
  path: string;
  idempotencyKey: string | undefined;
  answer?: string;
};

export type FaultyProxy = {
  baseUrl: string;
  /** Every request that arrived, by its request id. */
  passed: ReadonlyMap<string, Passed>;
  close(): Promise<void>;
};

/** A proxy between a client and the service. It does to each request what `choose` returns. */
export async function startFaultyProxy(options: {
  target: string;
  slowMs: number;
  choose: () => Fault;
}): Promise<FaultyProxy> {
  const passed = new Map<string, Passed>();
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = options.choose();
    const { method = '', url = '', headers } = request;
    const idempotencyKey = headers['idempotency-key']?.toString();
    const entry: Passed = { fault, method, path: url, idempotencyKey };
    passed.set(String(headers['x-request-id']), entry);
    const body = await buffer(request);
    if (fault === 'cutBefore') return void request.socket.destroy();
    if (fault === 'rateLimited') return void response.writeHead(429, { 'retry-after': '0' }).end();
    if (fault === 'unavailable') return void response.writeHead(503).end('<h1>Service Unavailable</h1>');
    const answering = fetch(options.target + url, {
      method,
      headers: Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) =>
          ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)]],
        ),
      ),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    if (fault === 'cutDuring') request.socket.destroy();
    const answer = await answering;
    const text = await answer.text();
    entry.answer = text;
    if (fault === 'cutDuring') return;
    if (fault === 'cutAfter') return void request.socket.destroy();
    const send = (sent: string) =>
      response
        .writeHead(answer.status, {
          'content-type': 'application/json',
          ...(answer.headers.has('retry-after') && {
            'retry-after': answer.headers.get('retry-after') ?? '',
          }),
        })
        .end(sent);
    if (fault === 'truncated') send(text.slice(0, text.length / 2));
    else if (fault === 'page') response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
    else if (fault === 'slow') {
      const timer = setTimeout(() => {
        timers.delete(timer);
        send(text);
      }, options.slowMs);
      timers.add(timer);
    } else send(text);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    passed,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
