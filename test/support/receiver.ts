import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export type Received = {
  path: string;
  method: string;
  headers: IncomingHttpHeaders;
  /** The raw bytes of the body. */
  body: Buffer;
};

/** Answers a completely received request. */
export type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

export type Receiver = {
  url: string;
  port: number;
  received: Received[];
  /** The highest number of requests that were open at once. */
  mostAtOnce(): number;
  close(): Promise<void>;
};

export const accept: Answer = (response) => void response.writeHead(200).end('thanks');

/** A receiver of webhooks on the loopback interface that keeps everything it gets. */
export async function startReceiver(
  answer: Answer = accept,
  options: { host?: string; tls?: { key: string; cert: string } } = {},
): Promise<Receiver> {
  const { host = '127.0.0.1', tls } = options;
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let open = 0;
  let most = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    open++;
    most = Math.max(most, open);
    response.on('close', () => open--);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url: path = '', method = '', headers } = request;
    const item = { path, method, headers, body: Buffer.concat(chunks) };
    received.push(item);
    answer(response, item, request);
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${host}:${port}/hook`,
    port,
    received,
    mostAtOnce: () => most,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
