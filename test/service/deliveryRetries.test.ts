import { createServer } from 'node:net';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readWebhookSettings } from '../../src/platform/config/webhookSettings.ts';
import { createQuotaKeeper } from '../../src/records/quotas/quotaKeeper.ts';
import { redeliver } from '../../src/records/webhooks/redeliver.ts';
import { type AttemptResult, recordResults } from '../../src/worker/deliverer/recordResults.ts';
import { createResultRecorder } from '../../src/worker/deliverer/resultRecorder.ts';
import { createDeliveryWorld, type DeliveryRow, type DeliveryWorld } from '../support/deliveryWorld.ts';
import { type Answer, type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/waitUntil.ts';

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

async function receive(answer?: Answer): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  closings.push(receiver.close);
  return receiver;
}

/**
 * A server that answers with these bytes, in pieces with pauses. `isClosed` says whether it then closes the
 * connection.
 */
async function answerRaw(pieces: readonly string[], { isClosed }: { isClosed: boolean }): Promise<string> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let at = 0;
    const send = () => {
      const piece = pieces[at++];
      if (piece !== undefined) {
        socket.write(piece);
        setTimeout(send, 10).unref();
      } else if (isClosed) socket.end();
    };
    socket.once('data', send);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/hook`;
}

/** Delivers one event to a URL, waits for the first attempt, and returns the delivery and the attempt. */
async function attemptOnce(url: string) {
  const { id } = await world.subscribe(url);
  await world.release([await world.createRecord()]);
  const [row] = await world.awaitDeliveries(id, ({ attempt_count }) => attempt_count > 0);
  if (!row) throw new Error('no delivery');
  const [attempt] = await world.readAttempts(row.id);
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled' where id = $1`, [id]);
  if (!attempt) throw new Error('no attempt');
  return { row, attempt };
}

test('a delivery is attempted five times, after 60, 120, 240 and 480 seconds, and then fails', async () => {
  let now = Date.UTC(2026, 0, 1);
  const receiver = await receive((response) => response.writeHead(503).end('later'));
  const marker = await receive();
  const { id } = await world.subscribe(receiver.url);
  await world.release([await world.createRecord()]);
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled' where id <> $1`, [id]);
  const markers = await world.subscribe(marker.url);
  await world.startDeliverer({ now: () => now });

  const pauses: number[] = [];
  for (let number = 1; number < 5; number++) {
    const [row] = await world.awaitDeliveries(id, ({ attempt_count }) => attempt_count === number);
    expect(row).toMatchObject({ status: 'retry_pending', response_status: 503, completed_at: null });
    const [attempt] = (await world.readAttempts(row?.id ?? '')).slice(-1);
    const endedAt = (attempt?.started_at.getTime() ?? 0) + (attempt?.duration_ms ?? 0);
    const dueAt = row?.next_attempt_at?.getTime() ?? 0;
    pauses.push((dueAt - endedAt) / 1_000);

    // One millisecond before it is due, the delivery is not sent, although the worker sends others.
    now = dueAt - 1;
    await world.pool.query(
      `insert into service.events (id, principal_id, type, body, state) values ($2, $1, 'webhook.test', '{}', 'released')`,
      [world.principalId, `evt_marker${number}`],
    );
    await world.pool.query(
      `insert into service.deliveries (id, subscription_id, event_id) values ($2, $1, $3)`,
      [markers.id, `dlv_marker${number}`, `evt_marker${number}`],
    );
    await world.wake(id);
    await waitUntil('another delivery went out', () => marker.received.length === number);
    expect(receiver.received).toHaveLength(number);
    now = dueAt;
  }
  expect(pauses).toEqual([60, 120, 240, 480]);
  const [row] = await world.awaitDeliveries(id, ({ status }) => status === 'failed');
  expect(row).toMatchObject({
    attempt_count: 5,
    next_attempt_at: null,
    error: 'the receiver responded with status 503',
  });
  expect(row?.completed_at).toBeInstanceOf(Date);
  const attempts = await world.readAttempts(row?.id ?? '');
  expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(attempts.every(({ response_excerpt }) => response_excerpt === 'later')).toBe(true);

  // Each attempt has its own timestamp and therefore its own signature; id and body stay the same.
  const { received } = receiver;
  expect(new Set(received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5);
  expect(new Set(received.map(({ headers }) => headers['x-svc-webhook-signature'])).size).toBe(5);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(received.map(({ body }) => body.toString())).size).toBe(1);
});

const attemptedAt = new Date();

/** The result of a delivery's first attempt; all are of one moment. */
function resultOf(
  subscriptionId: string,
  delivery: DeliveryRow | undefined,
  status: 204 | 400,
): AttemptResult {
  return {
    deliveryId: delivery?.id ?? '',
    subscriptionId,
    number: 1,
    dueAt: null,
    startedAt: attemptedAt,
    endedAt: attemptedAt,
    outcome: { durationMs: 1, responseStatus: status, responseExcerpt: undefined, error: undefined },
    verdict: { status: status === 204 ? 'succeeded' : 'failed', nextAttemptAt: null },
    error: undefined,
  };
}

test('of two results of the same attempt only the first is stored', async () => {
  const { id } = await world.subscribe('http://127.0.0.1:9/never');
  await world.release([await world.createRecord()]);
  const [delivery] = await world.readDeliveries(id);
  await recordResults(world.pool, [resultOf(id, delivery, 204)]);
  await recordResults(world.pool, [resultOf(id, delivery, 400)]);
  const [row] = await world.readDeliveries(id);
  expect(row).toMatchObject({ status: 'succeeded', attempt_count: 1, response_status: 204 });
  expect(await world.readAttempts(row?.id ?? '')).toMatchObject([{ number: 1, response_status: 204 }]);
});

test('the failures after the last success are counted, of results stored together or soon after each other', async () => {
  const { id } = await world.subscribe('http://127.0.0.1:9/never');
  const record = await world.createRecord();
  await world.release(new Array<string>(6).fill(record));
  const [one, two, three, four, five, six] = await world.readDeliveries(id);
  await recordResults(world.pool, [
    resultOf(id, one, 204),
    resultOf(id, two, 400),
    resultOf(id, three, 204),
    resultOf(id, four, 400),
  ]);
  expect(await world.readSubscription(id)).toMatchObject({ failures_in_row: 1 });
  await recordResults(world.pool, [resultOf(id, five, 400)]);
  expect(await world.readSubscription(id)).toMatchObject({ failures_in_row: 2 });
  await recordResults(world.pool, [resultOf(id, six, 204)]);
  expect(await world.readSubscription(id)).toMatchObject({ failures_in_row: 0 });
});

test('a result that the database did not store is stored at the next try', async () => {
  const { id } = await world.subscribe('http://127.0.0.1:9/never');
  await world.release([await world.createRecord()]);
  const [delivery] = await world.readDeliveries(id);
  const recorder = createResultRecorder({ pool: world.pool, logger: pino({ level: 'silent' }) });
  onTestFinished(recorder.close);
  let stored: Promise<void> | undefined;
  await world.database.transaction(async (lock) => {
    await lock.execute('lock table service.deliveries in share mode');
    stored = recorder.record(resultOf(id, delivery, 204));
    await waitUntil('the connection of the waiting statement is ended', async () => {
      const { rowCount } = await world.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
  });
  await stored;
  expect(await world.readDeliveries(id)).toMatchObject([{ status: 'succeeded', attempt_count: 1 }]);
});

test('one that succeeds at last is attempted no more', async () => {
  let now = Date.UTC(2026, 0, 1);
  let count = 0;
  const receiver = await receive((response) => response.writeHead(++count < 3 ? 500 : 204).end());
  const { id } = await world.subscribe(receiver.url);
  await world.release([await world.createRecord()]);
  await world.startDeliverer({ now: () => now, with: { longestBackoffMs: 90_000 } });
  const pauses: number[] = [];
  for (let number = 1; number < 3; number++) {
    const [row] = await world.awaitDeliveries(id, ({ attempt_count }) => attempt_count === number);
    const attempt = (await world.readAttempts(row?.id ?? '')).at(-1);
    const endedAt = (attempt?.started_at.getTime() ?? 0) + (attempt?.duration_ms ?? 0);
    const dueAt = row?.next_attempt_at?.getTime() ?? 0;
    pauses.push((dueAt - endedAt) / 1_000);
    now = dueAt;
  }
  expect(pauses).toEqual([60, 90]);
  const [row] = await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
  expect(row).toMatchObject({ attempt_count: 3, response_status: 204, error: null, next_attempt_at: null });
});

test('a redelivery begins a schedule of its own, also when it is asked for during an attempt', async () => {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const held: (() => void)[] = [];
  const receiver = await receive((response) => held.push(() => response.writeHead(500).end()));
  const { id } = await world.subscribe(receiver.url);
  await world.release([await world.createRecord()]);
  await world.startDeliverer({ now, with: { attempts: 1 } });
  await waitUntil('the first attempt is there', () => held.length === 1);
  await world.pool.query(
    `update service.deliveries set attempt_limit = attempt_count + 1 + 2, status = 'retry_pending', next_attempt_at = now()
    where subscription_id = $1`,
    [id],
  );
  await world.wake(id);
  held[0]?.();
  await waitUntil('it is attempted again at once', () => held.length === 2);
  held[1]?.();
  const [row] = await world.awaitDeliveries(id, ({ attempt_count }) => attempt_count === 2);
  expect(row).toMatchObject({ status: 'retry_pending' });
  expect(Math.round(((row?.next_attempt_at?.getTime() ?? 0) - now()) / 60_000)).toBe(1);
  aheadMs = 60_000;
  await waitUntil('and once more', () => held.length === 3);
  held[2]?.();
  await world.awaitDeliveries(id, ({ status, attempt_count }) => status === 'failed' && attempt_count === 3);
});

test('a redelivery that is asked for during the attempt of another is made too', async () => {
  const held: ((status: number) => void)[] = [];
  const receiver = await receive((response) => held.push((status) => response.writeHead(status).end()));
  const { id } = await world.subscribe(receiver.url);
  await world.release([await world.createRecord()]);
  await world.startDeliverer();
  const webhookSettings = readWebhookSettings({});
  const quotas = createQuotaKeeper({ database: world.database, logger: pino({ level: 'silent' }) });
  onTestFinished(quotas.close);
  const ask = async () => {
    const [row] = await world.readDeliveries(id);
    const reference = { id, principalId: world.principalId };
    await redeliver(reference, row?.id ?? '', { database: world.database, quotas, webhookSettings });
  };
  await waitUntil('the first attempt is there', () => held.length === 1);
  held[0]?.(400);
  await world.awaitDeliveries(id, ({ status }) => status === 'failed');
  await ask();
  await waitUntil('it is attempted again', () => held.length === 2);
  await ask();
  held[1]?.(400);
  await waitUntil('and once more', () => held.length === 3);
  // The attempt under way brings what this asks for.
  await ask();
  held[2]?.(200);
  const [row] = await world.awaitDeliveries(id, ({ attempt_count }) => attempt_count === 3);
  expect(row).toMatchObject({ status: 'succeeded', next_attempt_at: null });
  expect(held).toHaveLength(3);
});

const endings: { name: string; statuses: number[]; status: string }[] = [
  { name: 'any success', statuses: [200, 201, 202, 204, 299], status: 'succeeded' },
  { name: 'a redirect', statuses: [300, 301, 302, 303, 304, 307, 308], status: 'failed' },
  { name: 'a fault of the request', statuses: [400, 401, 403, 404, 408, 410, 418, 429], status: 'failed' },
  { name: 'a fault of the receiver', statuses: [500, 501, 502, 503, 504, 599], status: 'retry_pending' },
];
for (const { name, statuses, status } of endings)
  test(`${name} makes a delivery ${status}`, async () => {
    await world.startDeliverer();
    const elsewhere = await receive();
    const receiver = await receive((response, { path }) =>
      response.writeHead(Number(path.split('/')[1]), { location: elsewhere.url }).end(),
    );
    for (const answered of statuses) {
      const { row, attempt } = await attemptOnce(`http://127.0.0.1:${receiver.port}/${answered}`);
      expect([answered, row.status, row.response_status]).toEqual([answered, status, answered]);
      expect(attempt).toMatchObject({ number: 1, response_status: answered });
    }
    expect(receiver.received).toHaveLength(statuses.length);
    expect(elsewhere.received).toEqual([]);
  });

test('a redirect says that it is not followed', async () => {
  await world.startDeliverer();
  const receiver = await receive((response) => response.writeHead(302, { location: '/there' }).end());
  const { row } = await attemptOnce(receiver.url);
  expect(row.error).toBe('the receiver responded with status 302; redirects are not followed');
});

test('a connection that is refused, reset or closed, or that brings no HTTP, is retried', async () => {
  await world.startDeliverer();
  const reset = await receive((_response, _received, request) => {
    request.socket.resetAndDestroy();
  });
  const early = await receive((_response, _received, request) => void request.socket.end());
  const half = await answerRaw(['HTTP/1.1 200 OK\r\ncontent-le'], { isClosed: true });
  const noise = await answerRaw(['SSH-2.0-OpenSSH_9.9\r\n'], { isClosed: true });
  const errors = [];
  // Nothing listens on the discard port. Another server may get the port of one that was closed.
  for (const url of ['http://127.0.0.1:9/hook', reset.url, early.url, half, noise]) {
    const { row, attempt } = await attemptOnce(url);
    expect(row).toMatchObject({ status: 'retry_pending', attempt_count: 1, response_status: null });
    expect(attempt.error).toBe(row.error);
    errors.push(row.error);
  }
  // Nothing came on these new connections, so each attempt is one request.
  expect([reset, early].map(({ received }) => received.length)).toEqual([1, 1]);
  expect(errors).toEqual([
    'the connection was refused',
    'the connection was reset',
    'the connection was closed without a response',
    'the connection was closed without a response',
    'the response is not HTTP',
  ]);
});

test('a delivery that the service cannot sign is not sent, and retried like one without an answer', async () => {
  const receiver = await receive();
  const { id } = await world.subscribe(receiver.url);
  await world.pool.query(`update service.webhook_subscriptions set secret = 'unreadable' where id = $1`, [
    id,
  ]);
  await world.release([await world.createRecord()]);
  let unsigned = 0;
  await world.startDeliverer({ onUnsigned: () => unsigned++ });
  const [row] = await world.awaitDeliveries(id, ({ attempt_count }) => attempt_count > 0);
  expect(row).toMatchObject({ status: 'retry_pending', error: 'the service cannot sign it' });
  expect(unsigned).toBe(row?.attempt_count);
  expect(receiver.received).toEqual([]);
});

test('an attempt without an answer ends with its time, however slowly the headers come', async () => {
  await world.startDeliverer({ with: { timeoutMs: 400 } });
  const silent = await receive(() => {});
  const dripping = await answerRaw(
    [
      'HTTP/1.1 200 OK\r\n',
      ...Array.from({ length: 1_000 }, (_, at) => `x-${at}: ${'y'.repeat(8)}\r\n`.slice(0, 9)),
    ],
    { isClosed: false },
  );
  for (const url of [silent.url, dripping]) {
    const { row, attempt } = await attemptOnce(url);
    expect(row).toMatchObject({ status: 'retry_pending', error: 'no complete response within 400 ms' });
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(390);
  }
});

test('the status counts though the body has no end, and the body is read up to its limit', async () => {
  await world.startDeliverer({ with: { timeoutMs: 600_000, responseBytes: 10_000 } });
  let written = 0;
  const endless: Answer = (response, { path }) => {
    response.writeHead(path === '/broken' ? 500 : 200);
    const write = () => {
      if (response.destroyed) return;
      written += 1_000;
      response.write('ä'.repeat(500), () => setImmediate(write));
    };
    write();
  };
  const receiver = await receive(endless);
  const good = await attemptOnce(receiver.url);
  expect(good.row).toMatchObject({ status: 'succeeded', error: null });
  expect(good.attempt.response_excerpt).toBe('ä'.repeat(512));
  const broken = await attemptOnce(`http://127.0.0.1:${receiver.port}/broken`);
  expect(broken.row.status).toBe('retry_pending');
  expect(written).toBeLessThan(50_000_000);
});

test('the status counts though the body does not come in time', async () => {
  await world.startDeliverer({ with: { timeoutMs: 5_000 } });
  const receiver = await receive((response) => void response.writeHead(200).write('so far'));
  const { row, attempt } = await attemptOnce(receiver.url);
  expect(row).toMatchObject({ status: 'succeeded', error: null });
  expect(attempt).toMatchObject({
    response_status: 200,
    response_excerpt: 'so far',
    error: 'no complete response within 5000 ms',
  });
});

test('whatever a receiver answers is kept as text that the database can hold', async () => {
  await world.startDeliverer();
  const bytes = Buffer.concat([
    Buffer.from('a\0b'),
    Buffer.from([0xff, 0xc3, 0x28]),
    Buffer.from('€'.repeat(400)),
  ]);
  const receiver = await receive((response) => response.end(bytes));
  const { row, attempt } = await attemptOnce(receiver.url);
  expect(row.status).toBe('succeeded');
  expect(attempt.response_excerpt).toBe(`a\uFFFDb\uFFFD\uFFFD(${'€'.repeat(339)}`);
});

test('a connection that its receiver closes while idle costs no attempt', async () => {
  await world.startDeliverer();
  const used = new Set<unknown>();
  let cuts = 0;
  const receiver = await receive((response, _received, { socket }) => {
    // Cut the first request that arrives on a reused connection.
    if (cuts === 0 && used.has(socket)) {
      cuts++;
      socket.destroy();
    } else response.end();
    used.add(socket);
  });
  const { id } = await world.subscribe(receiver.url);
  const record = await world.createRecord();
  await world.release(new Array<string>(5).fill(record));
  const rows = await world.awaitDeliveries(id, ({ status }) => status !== 'pending');
  expect(cuts).toBe(1);
  expect(rows.map(({ status, attempt_count }) => [status, attempt_count])).toEqual(
    rows.map(() => ['succeeded', 1]),
  );
  expect(rows).toHaveLength(5);
});

test('an answer that breaks off on a new connection is one attempt, and the receiver gets it once', async () => {
  await world.startDeliverer();
  const receiver = await receive((_response, _received, { socket }) => {
    socket.end('HTTP/1.1 20');
  });
  const { row, attempt } = await attemptOnce(receiver.url);
  expect(row).toMatchObject({ status: 'retry_pending', attempt_count: 1 });
  expect(attempt).toMatchObject({ response_status: null, error: expect.stringContaining('closed') });
  expect(receiver.received).toHaveLength(1);
});

test('an answer that breaks off on a used connection is one attempt too', async () => {
  await world.startDeliverer();
  const used = new Set<unknown>();
  let cuts = 0;
  const receiver = await receive((response, _received, { socket }) => {
    if (used.has(socket)) {
      cuts++;
      socket.end('HTTP/1.1 20');
    } else response.end();
    used.add(socket);
  });
  const { id } = await world.subscribe(receiver.url);
  const record = await world.createRecord();
  await world.release([record, record]);
  const rows = await world.awaitDeliveries(id, ({ status }) => status !== 'pending');
  expect(rows.map(({ status, attempt_count }) => [status, attempt_count])).toEqual([
    ['succeeded', 1],
    ['retry_pending', 1],
  ]);
  expect(cuts).toBe(1);
  expect(receiver.received).toHaveLength(2);
});
