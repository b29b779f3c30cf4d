import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { attemptDelivery } from '../../src/worker/deliverer/attemptDelivery.ts';
import { createWebhookAgent } from '../../src/worker/deliverer/webhookAgent.ts';
import { createDeliveryWorld, type DeliveryWorld, loopbackRules } from '../support/deliveryWorld.ts';
import { accept, startReceiver } from '../support/receiver.ts';

let world: DeliveryWorld;
const closings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterEach(async () => {
  await world.reset();
  await Promise.all(closings.splice(0).map((close) => close()));
});
afterAll(() => world.close());

/** A server that answers each request with `head`, and then with `piece` for as long as it is read. */
async function flood({ head = '', piece }: { head?: string; piece: string }) {
  const sockets = new Set<Socket>();
  const block = Buffer.from(piece.repeat(Math.max(1, Math.floor(16_384 / piece.length))));
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(head);
      const write = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', write);
      write();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}/hook` };
}

/** Delivers one event to a URL, waits for the first attempt, and returns the delivery and the attempt. */
async function attemptOnce(url: string) {
  const { id } = await world.subscribe(url);
  await world.release([await world.createRecord()]);
  const [row] = await world.awaitDeliveries(id, ({ attempt_count }) => attempt_count > 0);
  if (!row) throw new Error('no delivery');
  const [attempt] = await world.readAttempts(row.id);
  if (!attempt) throw new Error('no attempt');
  return { row, attempt };
}

const emptyHeaders = Array.from({ length: 1_000 }, (_, at) => `a${at % 100}:\r\n`).join('');
const beforeStatus: { name: string; head?: string; piece: string; error: string }[] = [
  {
    name: 'interim responses',
    piece: `HTTP/1.1 103 Early Hints\r\n\r\n`,
    error: 'the receiver sent more than 8 interim responses',
  },
  {
    name: 'interim responses of a thousand headers',
    piece: `HTTP/1.1 103 Early Hints\r\n${emptyHeaders}\r\n`,
    error: 'the receiver sent more than 8 interim responses',
  },
  {
    name: 'empty lines',
    piece: '\r\n',
    error: 'the response has more than 262144 bytes',
  },
  {
    name: 'a reason phrase',
    head: 'HTTP/1.1 200 ',
    piece: 'a',
    error: 'the response has more than 262144 bytes',
  },
];
for (const { name, error, ...answer } of beforeStatus)
  test(`an attempt fails early if ${name} without end come before the status`, async () => {
    await world.startDeliverer({ with: { timeoutMs: 600_000 } });
    const { url } = await flood(answer);
    const { row, attempt } = await attemptOnce(url);
    expect(row).toMatchObject({ status: 'retry_pending', response_status: null, error });
    expect(attempt).toMatchObject({ response_status: null, error });
  });

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const afterStatus: { name: string; head: string; piece: string; error: string }[] = [
  {
    name: 'chunks of one byte',
    head: chunked,
    piece: '1\r\nx\r\n',
    error: 'the response came in more than 1024 pieces',
  },
  {
    name: 'the extension of a chunk',
    head: `${chunked}1;`,
    piece: 'a',
    error: 'the response has more than 262144 bytes',
  },
];
for (const { name, error, ...answer } of afterStatus)
  test(`the status counts, and no more is read, if ${name} come without end`, async () => {
    await world.startDeliverer({ with: { timeoutMs: 600_000 } });
    const { url } = await flood(answer);
    const { row, attempt } = await attemptOnce(url);
    expect(row).toMatchObject({ status: 'succeeded', response_status: 200, error: null });
    expect(attempt).toMatchObject({ response_status: 200, error });
  });

test('a connection serves more requests than one answer may have pieces', async () => {
  const connections = new Set<Socket>();
  const receiver = await startReceiver((response, received, request) => {
    connections.add(request.socket);
    accept(response, received, request);
  });
  const agent = createWebhookAgent({ rules: loopbackRules, timeoutMs: 60_000, responseBytes: 100 });
  closings.push(() => agent.destroy(), receiver.close);
  const attempt = { url: receiver.url, headers: {}, body: Buffer.from('{}'), timeoutMs: 60_000 };
  const { signal } = new AbortController();
  for (let round = 0; round < 1_100; round++) {
    const outcome = await attemptDelivery(agent, { ...attempt, responseBytes: 100, signal });
    expect(outcome).toMatchObject({ responseStatus: 200, error: undefined });
  }
  expect(connections.size).toBeLessThan(10);
});
