import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { MalformedError } from '../errors/serviceError.ts';
import { answerUnreadable } from './answerUnreadable.ts';
import { describeError, errorResponse } from './errorResponse.ts';
import { guardChunks } from './guardChunks.ts';
import { chooseRequestId } from './requestId.ts';
import { createUnsentLook, type UnsentBounds, usualUnsentBounds } from './unsentAnswers.ts';

export type HttpServer = {
  /** The port that it listens on, also if any free port was requested. */
  readonly port: number;
  /** From now on asks callers, with each answer, to come back on another connection. */
  announceClose(): void;
  /**
   * Accepts no more connections, ends the waits of running requests that do not finish soon, and resolves
   * when all are answered.
   */
  close(): Promise<void>;
};

/** Requests still running after this time are cut off: the process has 15 seconds to end. */
const closeTimeoutMs = 12_000;
/** Requests that wait get this long to finish by themselves; ending them earlier would mean refusing some. */
const unhurriedMs = 5_000;
const sweepIntervalMs = 50;
/** Browsers open connections in advance. One that has sent nothing gets this long for a request that may be on its way. */
const unusedMs = 500;
/** Connections that wait to be accepted: after a restart all listeners of the feed come back at once. */
const mostUnaccepted = 4_096;
/** A client that sends its request more slowly is cut off, so that none can hold a connection without end. */
const requestTimeoutMs = 30_000;
/**
 * Longer than balancers keep an idle connection (usually 60 seconds). If the server closed it first, a
 * request could be on its way.
 */
const keepAliveTimeoutMs = 75_000;

/**
 * Serves the application on an address.
 *
 * @throws Error if it cannot listen there.
 */
export async function startServer(options: {
  app: { fetch: Parameters<typeof getRequestListener>[0] };
  host: string;
  port: number;
  /** Headers of every answer, unless the answer sets another value. */
  headers: Map<string, string>;
  /** Makes waiting requests answer at once with what is known. */
  endWaits(): Promise<void>;
  logger: Logger;
  unsentBounds?: UnsentBounds;
}): Promise<HttpServer> {
  const { app, host, port, headers, endWaits, logger, unsentBounds = usualUnsentBounds } = options;
  // For input that cannot become a request: no host, or a target or host that is not a URL.
  const refuse = (error: unknown) => {
    const requestId = chooseRequestId(null);
    logger.info({ requestId, err: error }, 'received an invalid HTTP request');
    return errorResponse(describeError(new MalformedError('The request target is not valid.')), requestId);
  };
  const listener = getRequestListener(
    (request, env) =>
      // A target with a host of its own does not replace the header.
      env.incoming.headers.host === undefined
        ? refuse(new Error('missing host header'))
        : app.fetch(request, env),
    { errorHandler: refuse },
  );
  const running = new Set<ServerResponse>();
  let isClosing = false;
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    guardChunks(incoming);
    // Since HTTP/1.1 a request has a host. Health checks of some balancers are older.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost';
    running.add(outgoing);
    outgoing.once('close', () => running.delete(outgoing));
    outgoing.setHeaders(headers);
    if (isClosing) askToClose(outgoing);
    return listener(incoming, outgoing);
  };
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      // Node would refuse a request without a host itself, with neither error object nor request id.
      requireHostHeader: false,
    },
    serve,
  );
  // Node would refuse these in the same way. A server may ignore an expectation that it does not know.
  server.on('checkExpectation', serve);
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('clientError', (error, socket) => {
    // The unread body of an answered request would be parsed as the next request.
    const isAnswered = [...running].some((outgoing) => outgoing.socket === socket && outgoing.headersSent);
    if (isAnswered) socket.destroy();
    else void answerUnreadable(error, socket);
  });
  server.listen({ port, host, backlog: mostUnaccepted });
  await once(server, 'listening');
  const lookAtUnsent = createUnsentLook({ connections, running, bounds: unsentBounds, logger });
  const looks = setInterval(lookAtUnsent, unsentBounds.lookMs).unref();
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
      // A connection whose last request is answered stays open for another request, which must not come.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs);
      const early = setTimeout(() => closeUnused(connections), unusedMs);
      const overdue = setTimeout(() => {
        logger.warn({ requests: running.size }, 'closing requests that did not finish in time');
        server.closeAllConnections();
      }, closeTimeoutMs);
      await Promise.race([closed, delay(unhurriedMs, undefined, { ref: false })]);
      await endWaits();
      await closed;
      clearInterval(looks);
      clearInterval(sweep);
      clearTimeout(early);
      clearTimeout(overdue);
    },
  };
}

/** Node counts connections without a first request among those that are busy. */
function closeUnused(connections: ReadonlySet<Socket>): void {
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
}

/** Asks the caller not to send another request on this connection, which is about to close. */
function askToClose(outgoing: ServerResponse): void {
  if (!outgoing.headersSent) outgoing.setHeader('connection', 'close');
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address) return address.port;
  throw new Error('the server is not listening on a port');
}
