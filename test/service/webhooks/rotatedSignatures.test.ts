import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebhookVerificationError } from '../../../client/src/webhooks/verifyWebhook.ts';
import type { Received } from '../../support/receiver.ts';
import {
  type DeliveryScene,
  headersOf,
  startDeliveryScene,
  verify,
  webhookShape,
} from './support/deliveryScene.ts';

let scene: DeliveryScene;
beforeAll(async () => {
  scene = await startDeliveryScene();
});
afterEach(() => scene.reset());
afterAll(() => scene?.close());

const isSigned = async (received: Received, secret: string): Promise<boolean> => {
  try {
    await verify(received, secret);
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

test('a secret that is rotated signs with both until the grace ends, and then with the new one alone', async () => {
  const receiver = await scene.receive();
  const webhook = await scene.subscribe(receiver.url);
  const last = () => receiver.received.at(-1) ?? expect.fail('nothing was received');
  const rotate = async (graceSeconds: number) =>
    webhookShape.parse(await webhook.post('rotate-secret', { graceSeconds })).secret;
  const second = await rotate(600);
  await webhook.test();
  expect([await isSigned(last(), webhook.secret), await isSigned(last(), second)]).toEqual([true, true]);
  // The service's own header holds only one signature, made with the old secret: receivers that do not know
  // of the rotation still work.
  expect(await isSigned(ownHeadersOf(last()), webhook.secret)).toBe(true);
  expect(await isSigned(ownHeadersOf(last()), second)).toBe(false);
  for (const secret of [webhook.secret, second])
    expect(new Webhook(secret).verify(last().body, headersOf(last()))).toBeDefined();
  const third = await rotate(0);
  await webhook.test();
  const verdicts = [webhook.secret, second, third].map((secret) => isSigned(last(), secret));
  expect(await Promise.all(verdicts)).toEqual([false, false, true]);
  expect(await isSigned(ownHeadersOf(last()), third)).toBe(true);
});

test('a secret that ends while the worker reads what is due signs nothing any more', async () => {
  const receiver = await scene.receive();
  const webhook = await scene.subscribe(receiver.url);
  const second = await scene.whileReadingDue(
    async () => webhookShape.parse(await webhook.post('rotate-secret', { graceSeconds: 0 })).secret,
  );
  await webhook.settle('succeeded', 1);
  const [received] = receiver.received;
  if (!received) return expect.fail('nothing was received');
  expect([await isSigned(received, webhook.secret), await isSigned(received, second)]).toEqual([false, true]);
});
