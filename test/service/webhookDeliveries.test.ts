import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findFreePort } from '../../src/api/dev/freePort.ts';
import type { Deliverer } from '../../src/api/webhooks/deliverer.ts';
import { verifyWebhook, WebhookVerificationError } from '../../src/api/webhooks/verifyWebhook.ts';
import { type Program, startProgram } from '../e2e/support/program.ts';
import { type Answer, accept, type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { releaseTransitions } from './support/releaseTransitions.ts';
import { startTestDeliverer } from './support/startTestDeliverer.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

const env = { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8', WEBHOOK_TIMEOUT_MS: '5000' };
const closings: (() => Promise<unknown>)[] = [];
let service: TestService;
let owner: TestPrincipal;
let deliverer: Deliverer;

beforeAll(async () => {
  service = await startTestService({ env });
  owner = await service.createPrincipal();
  deliverer = await startTestDeliverer(service, env);
});
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});
afterAll(async () => {
  await deliverer?.close();
  await service?.close();
});

const webhookShape = z.looseObject({ id: z.string(), secret: z.string() });
const outcomeShape = z.object({
  ok: z.boolean(),
  deliveryId: z.string(),
  status: z.string(),
  responseStatus: z.number().optional(),
  error: z.string().optional(),
});
const deliveryShape = z.looseObject({
  id: z.string(),
  eventId: z.string(),
  status: z.string(),
  attemptCount: z.number(),
  attempts: z.array(z.looseObject({ number: z.number() })),
});

async function receive(answer: Answer = accept): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  closings.push(receiver.close);
  return receiver;
}

/** Has the API create a webhook, and answers with what can be done with it. */
async function subscribe(url: string, members: Record<string, unknown> = {}) {
  const created = await owner.call('POST', '/v0/webhooks', { body: { url, ...members } });
  const { id, secret } = webhookShape.parse(created.body.data);
  closings.push(() => owner.call('DELETE', `/v0/webhooks/${id}`));
  const post = async (path: string, body?: unknown) => {
    const answer = await owner.call('POST', `/v0/webhooks/${id}/${path}`, body === undefined ? {} : { body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.data;
  };
  const deliveries = async () =>
    z.array(deliveryShape).parse((await owner.call('GET', `/v0/webhooks/${id}/deliveries`)).body.data);
  return {
    id,
    secret,
    post,
    deliveries,
    test: async () => outcomeShape.parse(await post('test')),
    /** Waits until there are deliveries, and all of them have this status. */
    settle: (status: string, attemptCount?: number) =>
      waitUntil(`the deliveries are ${status}`, async () => {
        const found = await deliveries();
        const isSettled = found.every(
          (delivery) =>
            delivery.status === status &&
            (attemptCount === undefined || delivery.attemptCount === attemptCount),
        );
        return found.length > 0 && isSettled && found;
      }),
    read: async () => (await owner.call('GET', `/v0/webhooks/${id}`)).body.data,
  };
}

const release = (count: number) => releaseTransitions(service, owner, count);

const verify = ({ body, headers }: Received, secret: string) => verifyWebhook(body, headers, secret);
const isSigned = (received: Received, secret: string): boolean => {
  try {
    verify(received, secret);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError && error.reason === 'signature_mismatch') return false;
    throw error;
  }
};
const ownHeadersOf = ({ body, headers }: Received): Received => ({
  path: '',
  method: '',
  body,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-svc-'))),
});

describe('a test of a webhook', () => {
  test('sends a signed event at once, and tells that it has arrived', async () => {
    const receiver = await receive();
    const webhook = await subscribe(receiver.url, { eventTypes: ['agreement.notification.triggered'] });
    const outcome = await webhook.test();
    expect(outcome).toEqual({
      ok: true,
      deliveryId: expect.stringMatching(/^dlv_/),
      status: 'succeeded',
      responseStatus: 200,
    });
    const [received, ...others] = receiver.received;
    if (!received) throw new Error('nothing was received');
    expect(others).toEqual([]);
    const event = verify(received, webhook.secret);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'webhook.test',
      apiVersion: '2026-06-01',
      createdAt: expect.any(String),
      data: {},
    });
    expect(new Webhook(webhook.secret).verify(received.body, headersOf(received))).toEqual(event);
    expect(await webhook.deliveries()).toMatchObject([
      { id: outcome.deliveryId, eventId: event.id, eventType: 'webhook.test', attemptCount: 1 },
    ]);
    expect(await webhook.read()).toMatchObject({ failuresInRow: 0, lastSuccessAt: expect.any(String) });
  });

  test.each([
    [500, 'retry_pending'],
    [404, 'failed'],
    [302, 'failed'],
  ])('that is answered with %i tells so, and is %s', async (status, expected) => {
    const receiver = await receive((response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end('no');
    });
    const webhook = await subscribe(receiver.url);
    expect(await webhook.test()).toEqual({
      ok: false,
      deliveryId: expect.stringMatching(/^dlv_/),
      status: expected,
      responseStatus: status,
      error: expect.stringContaining(String(status)),
    });
    expect(receiver.received).toHaveLength(1);
    expect(await webhook.read()).toMatchObject({ failuresInRow: 1, lastFailureAt: expect.any(String) });
    expect((await webhook.deliveries())[0]?.attempts).toMatchObject([
      { number: 1, responseStatus: status, responseExcerpt: 'no' },
    ]);
  });

  test('of a receiver that does not listen, or does not answer, tells why', async () => {
    const nobody = await subscribe(`http://127.0.0.1:${await findFreePort()}/`);
    expect(await nobody.test()).toEqual({
      ok: false,
      deliveryId: expect.any(String),
      status: 'retry_pending',
      error: expect.stringContaining('refused'),
    });
    const silence = await receive(() => {});
    const slow = await (await subscribe(silence.url)).test();
    expect(slow).toMatchObject({
      ok: false,
      status: 'retry_pending',
      error: expect.stringContaining('5000 ms'),
    });
  });

  test('is pending where no worker is there, and arrives once one is', async () => {
    await deliverer.close();
    const receiver = await receive();
    const webhook = await subscribe(receiver.url);
    const outcome = await webhook.test().finally(async () => {
      deliverer = await startTestDeliverer(service, env);
    });
    expect(outcome).toEqual({ ok: false, deliveryId: expect.any(String), status: 'pending' });
    expect(await webhook.settle('succeeded')).toMatchObject([{ id: outcome.deliveryId }]);
  });

  test('of several at a time ends for each with its own', async () => {
    const receiver = await receive();
    const webhook = await subscribe(receiver.url);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => webhook.test()));
    expect(new Set(outcomes.map(({ ok, deliveryId }) => ok && deliveryId)).size).toBe(8);
  });
});

describe('what is sent again', () => {
  test('is the same event with the same id, also where it had arrived', async () => {
    const receiver = await receive();
    const webhook = await subscribe(receiver.url);
    const [eventId] = await release(1);
    const [delivery] = await webhook.settle('succeeded');
    await webhook.post(`deliveries/${delivery?.id}/redeliver`);
    const [again] = await webhook.settle('succeeded', 2);
    expect(again).toMatchObject({ id: delivery?.id, attempts: [{ number: 1 }, { number: 2 }] });
    const [first, second] = receiver.received;
    expect(second?.body).toEqual(first?.body);
    for (const received of receiver.received) expect(verify(received, webhook.secret).id).toBe(eventId);
  });

  test('is all that had failed since a time, for a receiver that was away', async () => {
    let isAway = true;
    const receiver = await receive((response) => void response.writeHead(isAway ? 410 : 200).end());
    const webhook = await subscribe(receiver.url);
    const since = new Date(Date.now() - 60_000).toISOString();
    const ids = await release(4);
    await webhook.settle('failed', 1);
    isAway = false;
    expect(await webhook.post('recover', { since })).toEqual({ recovered: 4, hasMore: false });
    await webhook.settle('succeeded', 2);
    const recovered = receiver.received.slice(4).map((received) => verify(received, webhook.secret).id);
    expect(recovered.toSorted()).toEqual(ids.toSorted());
    expect(await webhook.read()).toMatchObject({ failuresInRow: 0 });
  });

  test('is nothing of a disabled webhook, until it is active again and recovered', async () => {
    let isAway = true;
    const receiver = await receive((response) => void response.writeHead(isAway ? 503 : 200).end());
    const webhook = await subscribe(receiver.url);
    const ids = await release(2);
    await webhook.settle('retry_pending', 1);
    await owner.call('DELETE', `/v0/webhooks/${webhook.id}`);
    expect(await webhook.settle('failed', 1)).toMatchObject([
      { error: expect.stringContaining('disabled') },
      { error: expect.stringContaining('disabled') },
    ]);
    await release(1);
    isAway = false;
    await owner.call('PATCH', `/v0/webhooks/${webhook.id}`, { body: { status: 'active' } });
    await webhook.post('recover', { since: '2026-01-01T00:00:00Z' });
    const settled = await webhook.settle('succeeded', 2);
    expect(settled.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted());
  });

  test('goes to the new address of a webhook that has moved', async () => {
    const [old, present] = [await receive((response) => void response.writeHead(404).end()), await receive()];
    const webhook = await subscribe(old.url);
    const [eventId] = await release(1);
    const [delivery] = await webhook.settle('failed');
    await owner.call('PATCH', `/v0/webhooks/${webhook.id}`, { body: { url: present.url } });
    await webhook.post(`deliveries/${delivery?.id}/redeliver`);
    await webhook.settle('succeeded', 2);
    expect(present.received.map((received) => verify(received, webhook.secret).id)).toEqual([eventId]);
  });
});

test('a secret that is rotated signs with both until the grace ends, and then with the new one alone', async () => {
  const receiver = await receive();
  const webhook = await subscribe(receiver.url);
  const last = () => receiver.received.at(-1) ?? expect.fail('nothing was received');
  const rotate = async (graceSeconds: number) =>
    webhookShape.parse(await webhook.post('rotate-secret', { graceSeconds })).secret;
  const second = await rotate(600);
  await webhook.test();
  expect([isSigned(last(), webhook.secret), isSigned(last(), second)]).toEqual([true, true]);
  // The own header has room for one: receivers who know nothing of the rotation go on.
  expect(isSigned(ownHeadersOf(last()), webhook.secret)).toBe(true);
  expect(isSigned(ownHeadersOf(last()), second)).toBe(false);
  for (const secret of [webhook.secret, second])
    expect(new Webhook(secret).verify(last().body, headersOf(last()))).toBeDefined();
  const third = await rotate(0);
  await webhook.test();
  expect([webhook.secret, second, third].map((secret) => isSigned(last(), secret))).toEqual([
    false,
    false,
    true,
  ]);
  expect(isSigned(ownHeadersOf(last()), third)).toBe(true);
});

describe('the receiver of the examples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'receivers-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const start = async (name: string, secret: string, port: number): Promise<Program> => {
    const program = startProgram(`examples/receivers/${name}.ts`, {
      env: { PORT: String(port), WEBHOOK_SECRET: secret, INBOX: join(folder, `${name}.jsonl`) },
    });
    closings.push(async () => {
      program.signal('SIGTERM');
      await program.exited;
    });
    const isListening = () => {
      if (program.hasEnded()) throw new Error(program.lines.join('\n'));
      return program.lines.some((line) => line.startsWith('listening'));
    };
    // A busy machine takes its time to start a program.
    await waitUntil('the receiver listens', isListening);
    return program;
  };

  test.each(['plainNode', 'express', 'hono'])('in %s stores and handles each event once', async (name) => {
    const port = await findFreePort();
    const webhook = await subscribe(`http://127.0.0.1:${port}/webhooks`);
    const program = await start(name, webhook.secret, port);
    const ids = await release(2);
    const [delivery] = await webhook.settle('succeeded', 1);
    expect((await webhook.test()).ok).toBe(true);
    await webhook.post(`deliveries/${delivery?.id}/redeliver`);
    await waitUntil('it has come again', async () => {
      const found = (await webhook.deliveries()).find(({ id }) => id === delivery?.id);
      return found?.attemptCount === 2 && found.status === 'succeeded';
    });
    const stored = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n');
    expect(stored.map((line) => JSON.parse(line).id)).toEqual([...ids, expect.stringMatching(/^evt_/)]);
    await waitUntil('its lines are here', () => program.lines.length >= 4);
    expect(program.lines).toEqual([
      `listening on http://127.0.0.1:${port}/webhooks`,
      'Lease #1: go, S0 → S1',
      'Lease #2: go, S1 → S2',
      expect.stringMatching(/^a test, evt_/),
    ]);
  });

  test.each(['plainNode', 'express', 'hono'])(
    'in %s refuses what is not signed with its secret',
    async (name) => {
      const port = await findFreePort();
      const webhook = await subscribe(`http://127.0.0.1:${port}/webhooks`);
      const program = await start(name, `whsec_${'0'.repeat(64)}`, port);
      expect(await webhook.test()).toMatchObject({ ok: false, status: 'failed', responseStatus: 400 });
      await waitUntil('it says so', () => program.lines.includes('refused: signature_mismatch'));
      const url = `http://127.0.0.1:${port}/webhooks`;
      const statuses = [
        (await fetch(url, { method: 'POST' })).status,
        (await fetch(url, { method: 'POST', body: '{}' })).status,
        (await fetch(url, { method: 'POST', body: 'x'.repeat(1_100_000) })).status,
        (await fetch(url)).status,
      ];
      expect(statuses).toEqual([400, 400, 413, 404]);
    },
  );
});

function headersOf({ headers }: Received): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
