import { Agent, request } from 'node:http';
import type { FuzzRequest } from './buildRequest.ts';

export type RawAnswer = { status: number; headers: Headers; text: string; ms: number };

/** Sends requests exactly as they are. `fetch` would change or refuse some of them. */
export function createRawSender(baseUrl: string) {
  const { hostname, port } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true });
  return {
    send({ method, path, headers, body }: FuzzRequest): Promise<RawAnswer> {
      const startedAt = performance.now();
      const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
      const length = body === undefined ? {} : { 'content-length': String(body.length) };
      const outgoing = request(
        { agent, hostname, port, method, path, headers: { ...headers, ...length } },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              headers: new Headers(
                Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
              ),
              text: Buffer.concat(chunks).toString('utf8'),
              ms: performance.now() - startedAt,
            }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
      return promise;
    },
    close: () => agent.destroy(),
  };
}
