import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { keptDisabled } from '../../../src/records/webhooks/removeLongDisabled.ts';
import { createCall } from '../support/call.ts';
import { outcome } from '../support/outcome.ts';
import { insertDelivery, readDeliveryStatuses } from '../support/storedDeliveries.ts';
import type { TestPrincipal, TestService } from '../support/testService.ts';
import {
  changeWebhook,
  createWebhook,
  readWebhook,
  startWebhookService,
  webhookUrl as url,
  webhookShape,
} from '../support/webhooks.ts';

const limit = 4;
let service: TestService;
let owner: TestPrincipal;
let stranger: TestPrincipal;
beforeAll(async () => {
  service = await startWebhookService({ WEBHOOK_SUBSCRIPTIONS_MAX: String(limit) });
  owner = await service.createPrincipal();
  stranger = await service.createPrincipal();
});
afterAll(() => service.close());

describe('the list', () => {
  test('goes from the newest to the oldest over pages, and holds nothing of others', async () => {
    const by = await service.createPrincipal();
    const made = [];
    for (let count = 0; count < limit; count++) made.push((await createWebhook(service, {}, by)).id);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await by.call('GET', `/v0/webhooks?limit=3${cursor}`);
      seen.push(
        ...z
          .array(webhookShape)
          .parse(page.body.data)
          .map(({ id }) => id),
      );
      const next = page.body.pageInfo?.nextCursor;
      cursor = next ? `&cursor=${next}` : '';
    } while (cursor !== '');
    expect(seen).toEqual(made.toReversed());
    expect((await stranger.call('GET', '/v0/webhooks')).body.data).toEqual([]);
  });

  test('can hold the active or the disabled alone, and a cursor belongs to its filters and its principal', async () => {
    const by = await service.createPrincipal();
    const [first, second, third] = [
      await createWebhook(service, {}, by),
      await createWebhook(service, {}, by),
      await createWebhook(service, {}, by),
    ];
    await changeWebhook(second, { status: 'disabled' });
    const ids = async (query: string) =>
      z
        .array(webhookShape)
        .parse((await by.call('GET', `/v0/webhooks?${query}`)).body.data)
        .map(({ id }) => id);
    expect(await ids('status=active')).toEqual([third.id, first.id]);
    expect(await ids('status=disabled')).toEqual([second.id]);
    const { body } = await by.call('GET', '/v0/webhooks?status=active&limit=1');
    const cursor = body.pageInfo?.nextCursor ?? 'none';
    expect(await ids(`status=active&limit=1&cursor=${cursor}`)).toEqual([first.id]);
    for (const [call, query] of [
      [by.call, `cursor=${cursor}`],
      [by.call, `status=disabled&cursor=${cursor}`],
      [stranger.call, `status=active&cursor=${cursor}`],
      [by.call, `cursor=${cursor.slice(1)}`],
    ] as const) {
      const answer = await call('GET', `/v0/webhooks?${query}`);
      expect(outcome(answer)).toMatchObject({ status: 400, details: { field: 'cursor' } });
    }
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['status=paused', 'status'],
    ['colour=red', 'colour'],
    ['cursor=', 'cursor'],
    ['cursor=W10', 'cursor'],
  ])('refuses %s', async (query, field) => {
    const answer = await owner.call('GET', `/v0/webhooks?${query}`);
    expect(outcome(answer)).toMatchObject({ status: 400, code: 'bad_request', details: { field } });
  });
});

describe('a principal at its limit of active webhooks', () => {
  const reached = { status: 409, details: { reason: 'webhook_limit_reached', limit } };

  test('and no more, however fast it asks', async () => {
    const by = await service.createPrincipal();
    const answers = await Promise.all(
      Array.from({ length: 3 * limit }, () => by.call('POST', '/v0/webhooks', { body: { url } })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(outcome(answer)).toMatchObject(reached);
    expect((await by.call('GET', '/v0/webhooks')).body.data).toHaveLength(limit);
  });

  test('and another one has its own, however many the first has', async () => {
    const [by, other] = [await service.createPrincipal(), await service.createPrincipal()];
    for (let count = 0; count < limit; count++) await createWebhook(service, {}, by);
    const refused = await by.call('POST', '/v0/webhooks', { body: { url } });
    expect(outcome(refused)).toMatchObject(reached);
    for (let count = 0; count < limit; count++) await createWebhook(service, {}, other);
    expect(outcome(await other.call('POST', '/v0/webhooks', { body: { url } }))).toMatchObject(reached);
  });

  test('where disabled ones do not count, but count when they become active', async () => {
    const by = await service.createPrincipal();
    const disabled = [];
    for (let count = 0; count < limit; count++) {
      const webhook = await createWebhook(service, {}, by);
      disabled.push(await changeWebhook({ ...webhook, by }, { status: 'disabled' }));
    }
    await createWebhook(service, {}, by);
    const answers = await Promise.all(
      disabled.map(({ id }) => by.call('PATCH', `/v0/webhooks/${id}`, { body: { status: 'active' } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(limit - 1).fill(200), 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused && outcome(refused)).toMatchObject(reached);
  });

  test('and of disabled ones loses that which was disabled first and has no deliveries', async () => {
    const by = await service.createPrincipal();
    const { pool } = service.handle;
    const insert = (name: string, count: number) =>
      pool.query(
        `insert into service.webhook_subscriptions (id, principal_id, url, event_types, secret, status, updated_at)
        select 'wh_' || $2 || at, $1, 'http://127.0.0.1:9/', '[]', '', 'disabled', now() - at * interval '1 hour'
        from generate_series(1, $3::int) as at`,
        [by.id, name, count],
      );
    const count = async () => {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::int from service.webhook_subscriptions where principal_id = $1 and status = 'disabled'`,
        [by.id],
      );
      return rows[0]?.count;
    };
    const active = await createWebhook(service, {}, by);
    await pool.query(
      `update service.webhook_subscriptions set created_at = '2025-01-01', updated_at = '2025-01-01' where id = $1`,
      [active.id],
    );
    await insert('old', keptDisabled);
    const delivered = { id: `wh_old${keptDisabled}`, by };
    const delivery = await insertDelivery(service, delivered, { status: 'failed' });
    await pool.query(
      `insert into service.delivery_seats (subscription_id, worker_id) values ($1, 'a dead one')`,
      [`wh_old${keptDisabled - 1}`],
    );
    const made = await createWebhook(service, {}, by);
    await by.call('DELETE', `/v0/webhooks/${made.id}`);
    expect(await count()).toBe(keptDisabled);
    const read = async (id: string) => (await by.call('GET', `/v0/webhooks/${id}`)).status;
    expect(await Promise.all([read(delivered.id), read(`wh_old${keptDisabled - 1}`)])).toEqual([200, 404]);
    expect(await read(`wh_old${keptDisabled - 2}`)).toBe(200);
    expect(await read(active.id)).toBe(200);

    await insert('more', 250);
    await createWebhook(service, {}, by);
    expect(await count()).toBe(keptDisabled + 150);
    await pool.query(
      `insert into service.deliveries (id, subscription_id, event_id, status)
      select 'dlv_' || subscription.id, subscription.id, event_id, 'failed'
      from service.webhook_subscriptions subscription, service.deliveries one
      where principal_id = $1 and one.id = $2 on conflict do nothing`,
      [by.id, delivery],
    );
    await by.call('DELETE', `/v0/webhooks/${made.id}`);
    const refused = await by.call('POST', '/v0/webhooks', { body: { url } });
    expect(outcome(refused)).toMatchObject({
      status: 409,
      details: { reason: 'webhook_limit_reached', limit: keptDisabled },
    });
  });

  test('and may change the existing ones', async () => {
    const by = await service.createPrincipal();
    const webhooks = [];
    for (let count = 0; count < limit; count++) webhooks.push(await createWebhook(service, {}, by));
    for (const webhook of webhooks) await changeWebhook(webhook, { status: 'active', filters: null });
  });
});

describe('whose webhook it is', () => {
  const routes = [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/deliveries/DELIVERY/redeliver'],
    ['POST', '/recover'],
    ['POST', '/rotate-secret'],
  ] as const;
  const bodies: Record<string, unknown> = {
    PATCH: { status: 'disabled' },
    '/recover': { since: '2026-01-01T00:00:00Z' },
  };
  const optionsOf = (method: string, path: string) => {
    const body = bodies[method] ?? bodies[path];
    return body === undefined ? {} : { body };
  };

  test.each(routes)(
    '%s %s is forbidden to others, and they find nothing that is not there',
    async (method, path) => {
      const webhook = await createWebhook(service);
      const delivery = await insertDelivery(service, webhook, { status: 'failed' });
      const before = await readWebhook(webhook);
      const target = path.replace('DELIVERY', delivery);
      const at = (id: string) => `/v0/webhooks/${id}${target}`;
      expect(outcome(await stranger.call(method, at(webhook.id), optionsOf(method, path)))).toEqual({
        status: 403,
        code: 'forbidden',
        message: 'The webhook belongs to another principal.',
      });
      for (const unknown of ['wh_0', 'wh_%00', 'agr_0', "wh_'", 'WH_0'])
        expect((await stranger.call(method, at(unknown), optionsOf(method, path))).status).toBe(404);
      expect(await readWebhook(webhook)).toEqual(before);
      expect(await readDeliveryStatuses(service, webhook)).toEqual(['failed']);
    },
  );

  test('a delivery is found at its own webhook alone', async () => {
    const by = await service.createPrincipal();
    const [one, other] = [await createWebhook(service, {}, by), await createWebhook(service, {}, by)];
    const foreign = await createWebhook(service);
    for (const delivery of [
      await insertDelivery(service, other, { status: 'failed' }),
      await insertDelivery(service, foreign, { status: 'failed' }),
      'dlv_0',
    ]) {
      const answer = await by.call('POST', `/v0/webhooks/${one.id}/deliveries/${delivery}/redeliver`);
      expect(outcome(answer)).toEqual({
        status: 404,
        code: 'not_found',
        message: 'The delivery does not exist.',
      });
    }
    expect(await readDeliveryStatuses(service, foreign)).toEqual(['failed']);
  });

  test('what failed at other webhooks stays as it is when one is recovered', async () => {
    const by = await service.createPrincipal();
    const [one, other] = [await createWebhook(service, {}, by), await createWebhook(service, {}, by)];
    const foreign = await createWebhook(service);
    for (const webhook of [one, other, foreign]) await insertDelivery(service, webhook, { status: 'failed' });
    const body = { since: '2026-01-01T00:00:00Z' };
    const answer = await by.call('POST', `/v0/webhooks/${one.id}/recover`, { body });
    expect(answer.body.data).toEqual({ recovered: 1, hasMore: false });
    for (const webhook of [other, foreign])
      expect(await readDeliveryStatuses(service, webhook)).toEqual(['failed']);
  });

  test('reading and writing are scopes of their own', async () => {
    const webhook = await createWebhook(service);
    const reader = await service.createPrincipal(['webhooks.read', 'agreements.*']);
    const writer = await service.createPrincipal(['webhooks.write', 'agreements.*']);
    const all = [
      ['GET', '/v0/webhooks'],
      ['POST', '/v0/webhooks'],
    ].concat(routes.map(([method, path]) => [method, `/v0/webhooks/${webhook.id}${path}`]));
    for (const [method = '', path = ''] of all) {
      const [may, mayNot] = method === 'GET' ? [reader, writer] : [writer, reader];
      const refused = await mayNot.call(method, path);
      expect(outcome(refused)).toMatchObject({
        status: 403,
        message: expect.stringContaining('no entitlement'),
      });
      expect((await may.call(method, path)).body.error?.message ?? '').not.toContain('entitlement');
      expect((await createCall(service.baseUrl)(method, path)).status).toBe(401);
    }
  });
});
