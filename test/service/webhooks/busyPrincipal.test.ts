import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { lockFeeds } from '../../../src/records/events/lockFeeds.ts';
import { readQuotas } from '../../../src/records/quotas/quotas.ts';
import { addUsage } from '../../../src/records/quotas/usage.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type DeliveryScene, startDeliveryScene } from './support/deliveryScene.ts';

let scene: DeliveryScene;
beforeAll(async () => {
  scene = await startDeliveryScene();
});
afterEach(() => scene.reset());
afterAll(() => scene?.close());

const readUse = async () =>
  (await readQuotas(scene.database, scene.owner.id)).find(({ quota }) => quota === 'eventsPerDay')?.used ?? 0;

test('no request waits for the count of events, which others may hold locked', async () => {
  const receiver = await scene.receive();
  const webhook = await scene.subscribe(receiver.url);
  await scene.release(1);
  const [delivery] = await webhook.settle('succeeded');
  const before = await readUse();
  const principalId = scene.owner.id;
  await inTransaction(scene.database, async (transaction) => {
    await addUsage(transaction, [{ principalId, events: 1 }]);
    await Promise.all([
      webhook.test(),
      ...Array.from({ length: 20 }, () => webhook.post(`deliveries/${delivery?.id}/redeliver`)),
    ]);
  });
  await waitUntil('all are counted', async () => (await readUse()) === before + 22);
});

test('results of deliveries are stored while a change of their webhook waits for releases', async () => {
  const receiver = await scene.receive((response) => void response.writeHead(410).end());
  const webhook = await scene.subscribe(receiver.url);
  await scene.release(1);
  const [delivery] = await webhook.settle('failed', 1);
  let change: Promise<unknown> | undefined;
  await inTransaction(scene.database, async (transaction) => {
    await lockFeeds(transaction, [scene.owner.id]);
    change = scene.owner.call('PATCH', `/v0/webhooks/${webhook.id}`, { body: { filters: null } });
    await waitUntil('the change waits', async () => (await readLockWaits(scene.pool)).length === 1);
    await webhook.post(`deliveries/${delivery?.id}/redeliver`);
    await webhook.settle('failed', 2);
  });
  expect(await change).toMatchObject({ status: 200 });
});
