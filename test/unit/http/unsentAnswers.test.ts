import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { type HttpServer, startServer } from '../../../src/platform/http/server.ts';
import {
  createUnsentLook,
  type RunningAnswer,
  type SendingConnection,
  type UnsentBounds,
} from '../../../src/platform/http/unsentAnswers.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const logger = pino({ level: 'silent' });
const mebibyte = 1_048_576;

/** A connection whose client takes bytes when it is told to. */
function createConnection(unsent: number) {
  return {
    isCut: false,
    writableLength: unsent,
    bytesWritten: unsent,
    take(bytes: number) {
      this.writableLength -= bytes;
    },
    destroy() {
      this.isCut = true;
    },
  };
}

function createLook(
  connections: ReturnType<typeof createConnection>[],
  { running = [], ...bounds }: Partial<UnsentBounds> & { running?: RunningAnswer[] },
) {
  const usual = { lookMs: 0, mostStalledLooks: 3, mostBytes: 1_000 };
  return createUnsentLook({
    // A cut connection is gone.
    connections: { [Symbol.iterator]: () => connections.filter(({ isCut }) => !isCut)[Symbol.iterator]() },
    ...{ running, bounds: { ...usual, ...bounds }, logger },
  });
}

test('a client that takes nothing of its answer for some looks is cut off, and no other', () => {
  const stalled = createConnection(100);
  const slow = createConnection(100);
  const idle = createConnection(0);
  const look = createLook([stalled, slow, idle], {});
  for (let at = 0; at < 3; at++) {
    look();
    slow.take(1);
  }
  expect(stalled.isCut).toBe(false);
  look();
  expect([stalled, slow, idle].map(({ isCut }) => isCut)).toEqual([true, false, false]);
});

test('a client that reads again in time stays', () => {
  const connection = createConnection(100);
  const look = createLook([connection], {});
  for (let at = 0; at < 9; at++) {
    look();
    if (at % 3 === 2) connection.take(1);
  }
  expect(connection.isCut).toBe(false);
});

test('with too many unsent bytes in all, the largest that take nothing are cut off until it is enough', () => {
  const sizes = [300, 500, 400, 200];
  const [small, largest, reading, smallest] = sizes.map(createConnection);
  if (!small || !largest || !reading || !smallest) throw new Error('a connection is missing');
  const look = createLook([small, largest, reading, smallest], { mostStalledLooks: 100 });
  // A slow line says late that it has sent something.
  for (let looks = 0; looks < 8; looks++) {
    look();
    reading.take(1);
    expect(largest.isCut).toBe(false);
  }
  look();
  expect([small, largest, reading, smallest].map(({ isCut }) => isCut)).toEqual([false, true, false, false]);
});

test('with more than twice as many, also clients that read slowly are cut off, the slowest first', () => {
  const connections = [900, 800, 700].map(createConnection);
  const look = createLook(connections, {});
  look();
  expect(connections.map(({ isCut }) => isCut)).toEqual([false, false, false]);
  connections[0]?.take(2);
  for (const connection of connections) connection.take(1);
  look();
  expect(connections.map(({ isCut }) => isCut)).toEqual([false, true, false]);
});

test('answers that wait behind another one on their connection count too', () => {
  const connection = createConnection(100);
  const queue = Array.from({ length: 20 }, () => answerBehind(connection));
  const look = createLook([connection], { running: queue, mostStalledLooks: 1_000 });
  look();
  look();
  expect(connection.isCut).toBe(true);
});

const answerBehind = (socket: SendingConnection): RunningAnswer => ({
  ...{ socket: null, writableLength: 100, req: { socket } },
});

let server: HttpServer | undefined;
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await server?.close();
  server = undefined;
});

/** A server whose answer has as many mebibytes as its path says. */
async function serve(unsentBounds: UnsentBounds) {
  const cuts: string[] = [];
  server = await startServer({
    app: {
      fetch(request: Request) {
        return new Response('x'.repeat(Number(new URL(request.url).pathname.slice(1)) * mebibyte));
      },
    },
    ...{ host: '127.0.0.1', port: 0, headers: new Map(), endWaits: async () => {}, unsentBounds },
    logger: pino({}, { write: (line: string) => void cuts.push(line) }),
  });
  const { port } = server;
  return {
    cuts,
    /** A client that reads nothing until `resume`. */
    async ask(mebibytes: number) {
      const socket = connect(port, '127.0.0.1');
      clients.push(socket);
      socket.on('error', () => {});
      let isClosed = false;
      socket.on('close', () => {
        isClosed = true;
      });
      socket.pause();
      await once(socket, 'connect');
      socket.write(`GET /${mebibytes} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
      /** Reads until the end of the connection, with rests after each part, and returns the number of bytes. */
      const readAll = async (restMs?: number) => {
        let bytes = 0;
        socket.on('data', (chunk) => {
          bytes += chunk.length;
          if (restMs === undefined) return;
          socket.pause();
          setTimeout(() => socket.resume(), restMs);
        });
        socket.resume();
        await waitUntil('the connection ends', () => isClosed);
        return bytes;
      };
      return { readAll };
    },
  };
}

/** More than the operating system takes off the process. */
const size = 48;

test('the server cuts off a client that reads nothing of its answer', async () => {
  const { ask, cuts } = await serve({ lookMs: 5, mostStalledLooks: 20, mostBytes: 1_000 * mebibyte });
  const { readAll } = await ask(size);
  await waitUntil('the connection is cut', () => cuts.length === 1);
  expect(await readAll()).toBeLessThan(size * mebibyte);
});

test('the server does not cut off a client that takes a large answer slowly', async () => {
  const { ask, cuts } = await serve({ lookMs: 2, mostStalledLooks: 100, mostBytes: 1_000 * mebibyte });
  const { readAll } = await ask(size);
  expect(await readAll(1)).toBeGreaterThan(size * mebibyte);
  expect(cuts).toEqual([]);
});

test('the server cuts off as many clients as needed for its memory, and the others may read later', async () => {
  const bounds = { lookMs: 5, mostStalledLooks: Number.POSITIVE_INFINITY, mostBytes: 1.5 * size * mebibyte };
  const { ask, cuts } = await serve(bounds);
  const asked = [await ask(size), await ask(size)];
  await waitUntil('a connection is cut', () => cuts.length === 1);
  const read = await Promise.all(asked.map(({ readAll }) => readAll()));
  expect(read.filter((bytes) => bytes > size * mebibyte)).toHaveLength(1);
  expect(cuts).toHaveLength(1);
});
