import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readQuotas, setQuota } from '../../../src/records/quotas/quotas.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type DeliveryScene, readIds, startDeliveryScene } from './support/deliveryScene.ts';

let scene: DeliveryScene;
beforeAll(async () => {
  scene = await startDeliveryScene();
});
afterEach(() => scene.reset());
afterAll(() => scene?.close());

describe('a redelivery', () => {
  test('is the same event with the same id, even if it had arrived', async () => {
    const receiver = await scene.receive();
    const webhook = await scene.subscribe(receiver.url);
    const [eventId] = await scene.release(1);
    const [delivery] = await webhook.settle('succeeded');
    await webhook.post(`deliveries/${delivery?.id}/redeliver`);
    const [again] = await webhook.settle('succeeded', 2);
    expect(again).toMatchObject({ id: delivery?.id, attempts: [{ number: 1 }, { number: 2 }] });
    const [first, second] = receiver.received;
    expect(second?.body).toEqual(first?.body);
    expect(await readIds(receiver.received, webhook.secret)).toEqual([eventId, eventId]);
  });

  test('is all that had failed since a time, for a receiver that was away', async () => {
    let isAway = true;
    const receiver = await scene.receive((response) => void response.writeHead(isAway ? 410 : 200).end());
    const webhook = await scene.subscribe(receiver.url);
    const since = new Date(Date.now() - 60_000).toISOString();
    const ids = await scene.release(4);
    await webhook.settle('failed', 1);
    isAway = false;
    expect(await webhook.post('recover', { since })).toEqual({ recovered: 4, hasMore: false });
    await webhook.settle('succeeded', 2);
    const recovered = await readIds(receiver.received.slice(4), webhook.secret);
    expect(recovered.toSorted()).toEqual(ids.toSorted());
    expect(await webhook.read()).toMatchObject({ failuresInRow: 0 });
  });

  test('is nothing of a disabled webhook, until it is active again and recovered', async () => {
    let isAway = true;
    const receiver = await scene.receive((response) => void response.writeHead(isAway ? 503 : 200).end());
    const webhook = await scene.subscribe(receiver.url);
    const ids = await scene.release(2);
    await webhook.settle('retry_pending', 1);
    await scene.owner.call('DELETE', `/v0/webhooks/${webhook.id}`);
    expect(await webhook.settle('failed', 1)).toMatchObject([
      { error: expect.stringContaining('disabled') },
      { error: expect.stringContaining('disabled') },
    ]);
    await scene.release(1);
    isAway = false;
    await scene.owner.call('PATCH', `/v0/webhooks/${webhook.id}`, { body: { status: 'active' } });
    await webhook.post('recover', { since: '2026-01-01T00:00:00Z' });
    const settled = await webhook.settle('succeeded', 2);
    expect(settled.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted());
  });

  test('goes to the new address of a webhook that has moved', async () => {
    const [old, present] = [
      await scene.receive((response) => void response.writeHead(404).end()),
      await scene.receive(),
    ];
    const webhook = await scene.subscribe(old.url);
    const [eventId] = await scene.release(1);
    const [delivery] = await webhook.settle('failed');
    await scene.owner.call('PATCH', `/v0/webhooks/${webhook.id}`, { body: { url: present.url } });
    await webhook.post(`deliveries/${delivery?.id}/redeliver`);
    await webhook.settle('succeeded', 2);
    expect(await readIds(present.received, webhook.secret)).toEqual([eventId]);
  });

  // Last, because a restored quota is known only after a moment.
  test('is an event of the day for each delivery, and refused beyond their quota', async () => {
    const receiver = await scene.receive((response) => void response.writeHead(410).end());
    const webhook = await scene.subscribe(receiver.url);
    await scene.release(3);
    await webhook.settle('failed', 1);
    const { owner, database } = scene;
    const readUsed = async () =>
      (await readQuotas(database, owner.id)).find(({ quota }) => quota === 'eventsPerDay')?.used ?? 0;
    const before = await readUsed();
    const since = new Date(Date.now() - 60_000).toISOString();
    expect(await webhook.post('recover', { since })).toEqual({ recovered: 3, hasMore: false });
    await webhook.settle('failed', 2);
    // Those of earlier tests may be counted only now.
    const value = await waitUntil('all are counted', async () => {
      const used = await readUsed();
      return used >= before + 3 && used;
    });
    await setQuota(database, { principal: owner.name, quota: 'eventsPerDay', value });
    scene.onReset(() => setQuota(database, { principal: owner.name, quota: 'eventsPerDay', value: null }));
    const refused = await waitUntil('the new quota is known', async () => {
      const answer = await owner.call('POST', `/v0/webhooks/${webhook.id}/recover`, { body: { since } });
      return answer.status !== 200 && answer;
    });
    expect(refused.body.error?.details).toMatchObject({ reason: 'quota_exceeded', quota: 'eventsPerDay' });
  });
});
