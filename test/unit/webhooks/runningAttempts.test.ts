import pino from 'pino';
import { expect, test } from 'vitest';
import { readWebhookSettings } from '../../../src/platform/config/webhookSettings.ts';
import { takeReadable } from '../../../src/worker/deliverer/deliveryBodies.ts';
import type { DueDelivery } from '../../../src/worker/deliverer/dueDeliveries.ts';
import { createLane } from '../../../src/worker/deliverer/lane.ts';
import { createRunningAttempts, type Offer } from '../../../src/worker/deliverer/runningAttempts.ts';

const kibibyte = 1_024;

const create = (settings: NodeJS.ProcessEnv = {}) =>
  createRunningAttempts({
    settings: readWebhookSettings(settings),
    logger: pino({ level: 'silent' }),
    make: async () => {},
    onEnd() {},
  });

/** A subscription on a host of its own, with ten first attempts and ten due retries of large bodies. */
function offerOf(principalId: string, at: number): Offer {
  const id = `wh_${principalId}${at}`;
  const lane = createLane(id);
  lane.isWanted = false;
  const due = Array.from({ length: 20 }, (_, place): DueDelivery => {
    const isFirst = place < 10;
    const eventId = `evt_${id}_${place}`;
    return {
      ...{ id: `dlv_${id}_${place}`, subscriptionId: id, eventId, recordId: null },
      ...{ attemptCount: isFirst ? 0 : 1, attemptLimit: null, traceParent: null, isFirst, isOfRound: false },
      ...{ dueAt: isFirst ? null : '2026-01-01', bodyBytes: 512 * kibibyte },
    };
  });
  const subscription = {
    ...{ id, principalId, url: `https://${principalId}${at}.example/hook`, secret: Buffer.alloc(0) },
    ...{ previousSecret: null, previousSecretUntil: null, failuresInRow: 0, isActive: true },
  };
  return { lane, subscription, due };
}

const offersOf = (principalId: string, count: number) =>
  Array.from({ length: count }, (_, at) => offerOf(principalId, at));
const countOf = (chosen: readonly { subscription: { principalId: string } }[], principalId: string) =>
  chosen.filter(({ subscription }) => subscription.principalId === principalId).length;

test('the subscriptions of a principal share its places', () => {
  const offers = offersOf('a', 50);
  expect(create({ WEBHOOK_PRINCIPAL_CONCURRENCY: '100' }).choose(offers)).toHaveLength(100);
  expect(offers.every(({ lane }) => lane.isWanted)).toBe(true);
});

test('all subscriptions share the places of the worker, and the principals get them in turn', () => {
  const attempts = create({ WEBHOOK_CONCURRENCY: '40', WEBHOOK_SUBSCRIPTION_CONCURRENCY: '5' });
  const chosen = attempts.choose([...offersOf('a', 50), ...offersOf('b', 50)]);
  expect(chosen).toHaveLength(40);
  expect([countOf(chosen, 'a'), countOf(chosen, 'b')]).toEqual([20, 20]);
});

test('of the chosen deliveries as many begin together as have bodies of 16 MiB, everybody’s first ones first', () => {
  const chosen = create().choose([...offersOf('a', 50), ...offersOf('b', 1)]);
  const readable = takeReadable(chosen);
  expect(readable).toHaveLength(32);
  expect(countOf(readable, 'b')).toBe(10);
});

test('a body above the limit is read alone, and a shared one counts once', () => {
  const of = (eventId: string, mebibytes: number) => ({
    delivery: { eventId, bodyBytes: mebibytes * kibibyte ** 2 },
  });
  expect(takeReadable([of('large', 20), of('small', 1)])).toEqual([of('large', 20)]);
  const shared = Array.from({ length: 50 }, () => of('shared', 10));
  expect(takeReadable(shared)).toHaveLength(50);
});
