import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createDeliveryWorld, type DeliveryWorld } from '../support/deliveryWorld.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let world: DeliveryWorld;
let receiver: Receiver;
beforeAll(async () => {
  world = await createDeliveryWorld();
  receiver = await startReceiver();
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await receiver?.close();
  await world?.close();
});

const tenMinutesMs = 600_000;

test.each([tenMinutesMs, -tenMinutesMs])(
  "a worker whose clock is %i ms ahead signs by the database's, and delivers at once",
  async (aheadMs) => {
    const { id } = await world.subscribe(receiver.url);
    const before = receiver.received.length;
    const startedMs = performance.timeOrigin + performance.now();
    vi.useFakeTimers({ toFake: ['Date'], now: startedMs + aheadMs });
    await world.startDeliverer();
    await world.release([await world.createRecord()]);
    await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
    const request = receiver.received[before];
    const signedMs = Number(request?.headers['webhook-timestamp']) * 1_000;
    expect(Math.abs(signedMs - startedMs)).toBeLessThan(tenMinutesMs / 2);
    await world.reset();
  },
);
