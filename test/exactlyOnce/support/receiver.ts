import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '../../../client/src/webhooks/verifyWebhook.ts';

/** A receiver's record of one event. */
export type Reception = {
  attempts: number;
  /** The number of attempts that it answered with 200. */
  accepted: number;
  /** The different bodies received under this id. */
  bodies: Set<string>;
};

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/**
 * A receiver on this machine that verifies and counts deliveries. It fails the first attempt of every eighth
 * event: half of these it answers with 500, the other half it does not answer.
 */
export async function startReceiver() {
  const received = new Map<string, Reception>();
  const refused: string[] = [];
  let secret = '';
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const id = await verify(body, request);
    if (id === undefined) return response.writeHead(400).end();
    const reception = received.get(id) ?? { attempts: 0, accepted: 0, bodies: new Set() };
    received.set(id, reception);
    reception.attempts += 1;
    reception.bodies.add(body);
    const isFirst = reception.attempts === 1;
    if (isFirst && id.endsWith('0')) return response.writeHead(500).end();
    if (isFirst && id.endsWith('1')) return request.socket.destroy();
    reception.accepted += 1;
    return response.writeHead(200).end();
  });
  const verify = async (body: string, request: IncomingMessage): Promise<string | undefined> => {
    try {
      return (await verifyWebhook(body, request.headers, secret)).id;
    } catch (error) {
      refused.push(String(error));
      return undefined;
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    received,
    /** The reasons for refusing deliveries as not genuine. */
    refused,
    setSecret(given: string) {
      secret = given;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
