import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { MalformedError } from '../errors/serviceError.ts';
import { answerUnreadable } from './answerUnreadable.ts';
import { describeError, errorResponse } from './errorResponse.ts';
import { chooseRequestId } from './requestId.ts';

export type HttpServer = {
  /** The port that it listens on, also where any free one was asked for. */
  readonly port: number;
  /** From now on tells callers with each answer to come back on another connection. */
  announceClose(): void;
  /** Takes no more connections, ends the waits of running requests that do not end soon, and resolves when all are answered. */
  close(): Promise<void>;
};

/** Running requests that are not answered by then are cut off: the process has 15 seconds to end. */
const closeTimeoutMs = 12_000;
/** Requests that wait for others get so long to end by themselves: cut short, some would have to be refused. */
const unhurriedMs = 5_000;
const sweepIntervalMs = 50;
/** A sender that takes longer to deliver its request is cut off, so that none can hold a connection for ever. */
const requestTimeoutMs = 30_000;
/** Longer than balancers keep a connection that nothing is sent on, 60 seconds as a rule: one that the server closes first may have a request on its way. */
const keepAliveTimeoutMs = 75_000;

/**
 * Serves the application on an address.
 *
 * @throws Error where it cannot listen there.
 */
export async function startServer(options: {
  app: { fetch: Parameters<typeof getRequestListener>[0] };
  host: string;
  port: number;
  /** What every answer carries unless it has another value for it. */
  headers: Map<string, string>;
  /** Has running requests answer at once with what they know. */
  endWaits(): Promise<void>;
  logger: Logger;
}): Promise<HttpServer> {
  const { app, host, port, headers, endWaits, logger } = options;
  const listener = getRequestListener(app.fetch, {
    // What cannot even be made a request: a target or host that is no URL.
    errorHandler(error) {
      const requestId = chooseRequestId(null);
      logger.info({ requestId, err: error }, 'a request could not be read');
      return errorResponse(describeError(new MalformedError('The request target is not valid.')), requestId);
    },
  });
  const running = new Set<ServerResponse>();
  let isClosing = false;
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    running.add(outgoing);
    outgoing.once('close', () => running.delete(outgoing));
    outgoing.setHeaders(headers);
    if (isClosing) askToClose(outgoing);
    return listener(incoming, outgoing);
  };
  const server = createServer(
    { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs },
    serve,
  );
  server.on('clientError', (error, socket) => {
    // A body behind an answer that is on its way would be taken for a part of it.
    const isAnswered = [...running].some((outgoing) => outgoing.socket === socket && outgoing.headersSent);
    if (isAnswered) socket.destroy();
    else void answerUnreadable(error, socket);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const announceClose = () => {
    isClosing = true;
    for (const outgoing of running) askToClose(outgoing);
  };
  return {
    port: portOf(server.address()),
    announceClose,
    async close() {
      announceClose();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection whose last request is answered stays open for another one that must not come.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs);
      const overdue = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
      await Promise.race([closed, delay(unhurriedMs, undefined, { ref: false })]);
      await endWaits();
      await closed;
      clearInterval(sweep);
      clearTimeout(overdue);
    },
  };
}

/** Tells the caller not to send another request on this connection, which could meet its end. */
function askToClose(outgoing: ServerResponse): void {
  if (!outgoing.headersSent) outgoing.setHeader('connection', 'close');
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address) return address.port;
  throw new Error('the server listens on no port');
}
