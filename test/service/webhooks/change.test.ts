import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { releaseNow } from '../../../src/worker/publisher/releaseEvents.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { outcome } from '../support/outcome.ts';
import { insertRecords } from '../support/rows.ts';
import { insertDelivery, readDeliveryStatuses } from '../support/storedDeliveries.ts';
import type { TestService } from '../support/testService.ts';
import {
  changeWebhook,
  createWebhook,
  readWebhook,
  startWebhookService,
  webhookUrl as url,
  webhookShape,
} from '../support/webhooks.ts';

let service: TestService;
beforeAll(async () => {
  service = await startWebhookService();
});
afterAll(() => service.close());

const both = ['agreement.transitioned', 'agreement.notification.triggered'];

describe('a change', () => {
  test('replaces only what it names', async () => {
    const webhook = await createWebhook(service, {
      eventTypes: both,
      filters: { toStates: ['A'], ruleIds: ['r'] },
    });
    expect(await changeWebhook(webhook, {})).toMatchObject({
      url,
      eventTypes: both,
      filters: webhook.filters,
    });
    const changed = await changeWebhook(webhook, { url: `${url}/2`, filters: { inputIds: ['sign'] } });
    expect(changed).toMatchObject({ url: `${url}/2`, eventTypes: both, filters: { inputIds: ['sign'] } });
    expect(changed).not.toHaveProperty('secret');
    expect(await readWebhook(webhook)).toEqual(changed);
  });

  test.each([[null], [[]]])('of the types to %o makes them the default ones', async (eventTypes) => {
    const webhook = await createWebhook(service, { eventTypes: both });
    expect((await changeWebhook(webhook, { eventTypes })).eventTypes).toEqual(['agreement.transitioned']);
  });

  test('of the filters to null removes them', async () => {
    const webhook = await createWebhook(service, { filters: { toStates: ['A'] } });
    expect((await changeWebhook(webhook, { filters: null })).filters).toBeUndefined();
  });

  test.each([
    ['a URL that is none', { url: 'x' }, 'url'],
    ['a URL of null', { url: null }, 'url'],
    ['a target that is not allowed', { url: 'https://10.0.0.1/' }, 'url'],
    ['an unknown status', { status: 'paused' }, 'status'],
    ['an unknown type', { eventTypes: ['x'] }, 'eventTypes.0'],
    ['an unknown filter', { filters: { x: [] } }, 'filters.x'],
    ['an id', { id: 'wh_1' }, 'id'],
  ])('is refused with %s, and changes nothing', async (_, body, path) => {
    const webhook = await createWebhook(service, { eventTypes: both });
    const before = await readWebhook(webhook);
    const answer = await webhook.by.call('PATCH', `/v0/webhooks/${webhook.id}`, {
      body: { eventTypes: null, ...body },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.details?.issues).toMatchObject([{ path }]);
    expect(await readWebhook(webhook)).toEqual(before);
  });
});

describe('a disabled webhook', () => {
  test('stays, and can be disabled again', async () => {
    const webhook = await createWebhook(service);
    const disable = () => webhook.by.call('DELETE', `/v0/webhooks/${webhook.id}`);
    const [first, again] = [await disable(), await disable()];
    expect(first).toMatchObject({ status: 200, body: { data: { id: webhook.id, status: 'disabled' } } });
    expect(first.body.data).not.toHaveProperty('secret');
    expect(again.body.data).toEqual(first.body.data);
    expect((await readWebhook(webhook)).status).toBe('disabled');
  });

  test('is active again by a change of its status', async () => {
    const webhook = await createWebhook(service);
    await webhook.by.call('DELETE', `/v0/webhooks/${webhook.id}`);
    expect((await changeWebhook(webhook, { status: 'active' })).status).toBe('active');
  });

  test('has failed its pending deliveries when it is active again, though no worker has run since', async () => {
    const webhook = await createWebhook(service);
    for (const status of ['pending', 'retry_pending', 'succeeded'])
      await insertDelivery(service, webhook, { status });
    await changeWebhook(webhook, { status: 'active' });
    expect((await readDeliveryStatuses(service, webhook)).toSorted()).toEqual([
      'pending',
      'retry_pending',
      'succeeded',
    ]);
    await webhook.by.call('DELETE', `/v0/webhooks/${webhook.id}`);
    await changeWebhook(webhook, { status: 'active' });
    expect((await readDeliveryStatuses(service, webhook)).toSorted()).toEqual([
      'failed',
      'failed',
      'succeeded',
    ]);
  });

  test('is active again only when all its deliveries have failed, however many waited', async () => {
    const webhook = await createWebhook(service);
    const { pool } = service.handle;
    await pool.query(
      `insert into service.events (id, principal_id, type, body, state)
      select 'evt_heap' || at, $1, 'webhook.test', '{}', 'released' from generate_series(1, 12000) as at`,
      [webhook.by.id],
    );
    await pool.query(
      `insert into service.deliveries (id, subscription_id, event_id, status, next_attempt_at)
      select 'dlv_heap' || at, $1, 'evt_heap' || at, case when at % 2 = 0 then 'pending' else 'retry_pending' end,
        case when at % 2 = 1 then now() + interval '1 hour' end
      from generate_series(1, 12000) as at`,
      [webhook.id],
    );
    await webhook.by.call('DELETE', `/v0/webhooks/${webhook.id}`);
    const first = await webhook.by.call('PATCH', `/v0/webhooks/${webhook.id}`, {
      body: { status: 'active' },
    });
    expect(outcome(first)).toMatchObject({ status: 409, details: { reason: 'webhook_disabled' } });
    expect((await readWebhook(webhook)).status).toBe('disabled');
    expect((await changeWebhook(webhook, { status: 'active' })).status).toBe('active');
    expect(new Set(await readDeliveryStatuses(service, webhook))).toEqual(new Set(['failed']));
  });

  test('cannot be tested, and nothing of it be sent again', async () => {
    const webhook = await createWebhook(service);
    const delivery = await insertDelivery(service, webhook, { status: 'failed' });
    await webhook.by.call('DELETE', `/v0/webhooks/${webhook.id}`);
    const post = (path: string, body?: unknown) =>
      webhook.by.call('POST', `/v0/webhooks/${webhook.id}/${path}`, body === undefined ? {} : { body });
    for (const answer of [
      await post('test'),
      await post(`deliveries/${delivery}/redeliver`),
      await post('recover', { since: '2026-01-01T00:00:00Z' }),
    ])
      expect(outcome(answer)).toMatchObject({
        status: 409,
        code: 'conflict',
        details: { reason: 'webhook_disabled' },
      });
    expect(await readDeliveryStatuses(service, webhook)).toEqual(['failed']);
  });
});

test.each(['made', 'active again'])(
  'a webhook that is %s gets whatever is not in the feed by then',
  async (what) => {
    const by = await service.createPrincipal();
    const body = { url };
    const make = () => by.call('POST', '/v0/webhooks', { body });
    const { id } = webhookShape.parse((await make()).body.data);
    await by.call('DELETE', `/v0/webhooks/${id}`);
    const { database, pool } = service.handle;
    const recordId = `agr_${randomBytes(16).toString('hex')}`;
    await insertRecords(pool, by, [{ id: recordId }]);
    const eventId = `evt_${randomBytes(32).toString('hex')}`;
    const type = 'agreement.transitioned' as const;
    const event = { id: eventId, type, body: '{"data":{}}', principalId: by.id, recordId };
    const steps: string[] = [];
    let subscribed: Promise<unknown> | undefined;
    await database.transaction(async (transaction) => {
      await releaseNow(transaction, [
        { ...event, chainId: 59141, blockNumber: null, txHash: null, blockOrder: 0 },
      ]);
      const activate = () => by.call('PATCH', `/v0/webhooks/${id}`, { body: { status: 'active' } });
      subscribed = (what === 'made' ? make() : activate()).then(() => steps.push('subscribed'));
      await waitUntil('the request waits or has ended', async () => {
        return (await readLockWaits(pool)).length > 0 || steps.length > 0;
      });
      steps.push('released');
    });
    await subscribed;
    expect(steps).toEqual(['released', 'subscribed']);
  },
);
