import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DeliveryScene, headersOf, startDeliveryScene, verify } from './support/deliveryScene.ts';

let scene: DeliveryScene;
beforeAll(async () => {
  scene = await startDeliveryScene();
});
afterEach(() => scene.reset());
afterAll(() => scene?.close());

describe('a test of a webhook', () => {
  test('sends a signed event at once, and reports its arrival', async () => {
    const receiver = await scene.receive();
    const webhook = await scene.subscribe(receiver.url, { eventTypes: ['agreement.notification.triggered'] });
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
    const event = await verify(received, webhook.secret);
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
  ])('that is answered with %i reports that, and is %s', async (status, expected) => {
    const receiver = await scene.receive((response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end('no');
    });
    const webhook = await scene.subscribe(receiver.url);
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

  test('of a receiver that does not listen, or does not answer, reports why', async () => {
    // Nothing listens on the discard port. Another server may get one that was just free.
    const nobody = await scene.subscribe('http://127.0.0.1:9/');
    expect(await nobody.test()).toEqual({
      ok: false,
      deliveryId: expect.any(String),
      status: 'retry_pending',
      error: expect.stringContaining('refused'),
    });
    const silence = await scene.receive(() => {});
    const slow = await (await scene.subscribe(silence.url)).test();
    expect(slow).toMatchObject({
      ok: false,
      status: 'retry_pending',
      error: expect.stringContaining('3000 ms'),
    });
  });

  test('is pending if no worker is running, and arrives once one is', async () => {
    const receiver = await scene.receive();
    const webhook = await scene.subscribe(receiver.url);
    const outcome = await scene.withoutDeliverer(() => webhook.test());
    expect(outcome).toEqual({ ok: false, deliveryId: expect.any(String), status: 'pending' });
    expect(await webhook.settle('succeeded')).toMatchObject([{ id: outcome.deliveryId }]);
  });

  test('is refused while ten others wait for their first attempt, however fast they are asked for', async () => {
    const { url } = await scene.receive();
    const webhook = await scene.subscribe(url);
    const path = `/v0/webhooks/${webhook.id}/test`;
    const answers = await scene.withoutDeliverer(() =>
      Promise.all(Array.from({ length: 13 }, () => scene.owner.call('POST', path))),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.error?.code])).toEqual(
      Array(3).fill([429, 'rate_limited']),
    );
    expect(await webhook.settle('succeeded')).toHaveLength(10);
    expect(await webhook.test()).toMatchObject({ ok: true });
  });

  test('of several at a time ends for each with its own', async () => {
    const receiver = await scene.receive();
    const webhook = await scene.subscribe(receiver.url);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => webhook.test()));
    expect(new Set(outcomes.map(({ ok, deliveryId }) => ok && deliveryId)).size).toBe(8);
  });
});
