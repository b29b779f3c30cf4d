import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { outcome } from '../support/outcome.ts';
import { insertDelivery, readDeliveryStatuses } from '../support/storedDeliveries.ts';
import type { TestService } from '../support/testService.ts';
import { createWebhook, startWebhookService } from '../support/webhooks.ts';

let service: TestService;
beforeAll(async () => {
  service = await startWebhookService();
});
afterAll(() => service.close());

describe('the deliveries of a webhook', () => {
  test('are listed from the newest with their last attempts, by status and over pages', async () => {
    const webhook = await createWebhook(service);
    const failed = await insertDelivery(service, webhook, {
      status: 'failed',
      attempts: 30,
      createdAt: '2026-01-01',
    });
    const done = await insertDelivery(service, webhook, {
      status: 'succeeded',
      attempts: 1,
      createdAt: '2026-01-02',
    });
    const open = await insertDelivery(service, webhook, { status: 'pending', createdAt: '2026-01-03' });
    const list = (query = '') => webhook.by.call('GET', `/v0/webhooks/${webhook.id}/deliveries${query}`);
    const all = z.array(z.looseObject({ id: z.string() })).parse((await list()).body.data);
    expect(all.map(({ id }) => id)).toEqual([open, done, failed]);
    expect(all[1]).toEqual({
      id: done,
      webhookId: webhook.id,
      eventId: expect.stringMatching(/^evt_/),
      eventType: 'webhook.test',
      status: 'succeeded',
      attemptCount: 1,
      responseStatus: 200,
      createdAt: '2026-01-02T00:00:00.000Z',
      updatedAt: expect.any(String),
      attempts: [
        {
          number: 1,
          startedAt: '2026-01-02T00:00:00.000Z',
          durationMs: 12,
          responseStatus: 200,
          responseExcerpt: 'fine',
        },
      ],
    });
    const numbers = z
      .array(z.looseObject({ number: z.number() }))
      .parse(all[2]?.attempts)
      .map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 25 }, (_, at) => at + 6));
    expect((await list('?status=failed')).body.data).toMatchObject([{ id: failed }]);
    const first = await list('?limit=2');
    const next = await list(`?limit=2&cursor=${first.body.pageInfo?.nextCursor}`);
    expect([first.body.data, next.body.data]).toMatchObject([[{ id: open }, { id: done }], [{ id: failed }]]);
    const other = await createWebhook(service, {}, webhook.by);
    const cursor = first.body.pageInfo?.nextCursor;
    const elsewhere = await webhook.by.call('GET', `/v0/webhooks/${other.id}/deliveries?cursor=${cursor}`);
    for (const answer of [elsewhere, await list(`?status=failed&cursor=${cursor}`), await list('?status=x')])
      expect(answer.status).toBe(400);
  });

  test.each(['failed', 'succeeded', 'retry_pending'])(
    'are due again by a redelivery of one that is %s',
    async (status) => {
      const webhook = await createWebhook(service);
      const id = await insertDelivery(service, webhook, { status, attempts: 5 });
      const answer = await webhook.by.call('POST', `/v0/webhooks/${webhook.id}/deliveries/${id}/redeliver`);
      expect(answer).toMatchObject({
        status: 200,
        body: { data: { id, status: 'retry_pending', attemptCount: 5, attempts: expect.any(Array) } },
      });
      const { rows } = await service.handle.pool.query(
        'select attempt_limit, next_attempt_at <= now() as due, completed_at from service.deliveries where id = $1',
        [id],
      );
      expect(rows).toEqual([{ attempt_limit: 10, due: true, completed_at: null }]);
    },
  );

  test('that were not attempted yet are on their way as before', async () => {
    const webhook = await createWebhook(service);
    const id = await insertDelivery(service, webhook, { status: 'pending' });
    const answer = await webhook.by.call('POST', `/v0/webhooks/${webhook.id}/deliveries/${id}/redeliver`);
    expect(answer).toMatchObject({ status: 200, body: { data: { id, status: 'pending' } } });
  });

  test('that failed since a time are recovered together, in their order', async () => {
    const webhook = await createWebhook(service);
    const other = await createWebhook(service, {}, webhook.by);
    await insertDelivery(service, other, { status: 'failed', createdAt: '2026-02-02' });
    await insertDelivery(service, webhook, { status: 'failed', createdAt: '2026-01-31T11:59:59.999Z' });
    const third = await insertDelivery(service, webhook, { status: 'failed', createdAt: '2026-02-02' });
    const first = await insertDelivery(service, webhook, {
      status: 'failed',
      createdAt: '2026-01-31T12:00:00Z',
    });
    const second = await insertDelivery(service, webhook, { status: 'failed', createdAt: '2026-02-01' });
    await insertDelivery(service, webhook, { status: 'succeeded', createdAt: '2026-02-03' });
    const recover = () =>
      webhook.by.call('POST', `/v0/webhooks/${webhook.id}/recover`, {
        body: { since: '2026-01-31T13:00:00+01:00' },
      });
    expect((await recover()).body.data).toEqual({ recovered: 3, hasMore: false });
    expect((await recover()).body.data).toEqual({ recovered: 0, hasMore: false });
    const { rows } = await service.handle.pool.query(
      `select id from service.deliveries where subscription_id = $1 and status = 'retry_pending'
         and next_attempt_at <= now() and attempt_limit = attempt_count + 5 order by next_attempt_at`,
      [webhook.id],
    );
    expect(rows).toEqual([{ id: first }, { id: second }, { id: third }]);
    expect(await readDeliveryStatuses(service, other)).toEqual(['failed']);
  });

  test('that failed are recovered in portions, each by a request', async () => {
    const webhook = await createWebhook(service);
    await service.handle.pool.query(
      `with made as (
         insert into service.events (id, principal_id, type, body, state)
         select 'evt_bulk' || number, $1, 'webhook.test', '{}', 'released' from generate_series(1, 10001) as number
         returning id)
       insert into service.deliveries (id, subscription_id, event_id, status, attempt_count, created_at)
       select replace(id, 'evt', 'dlv'), $2, id, 'failed', 5, '2026-01-01' from made`,
      [webhook.by.id, webhook.id],
    );
    const recover = () =>
      webhook.by.call('POST', `/v0/webhooks/${webhook.id}/recover`, {
        body: { since: '2026-01-01T00:00:00Z' },
      });
    expect((await recover()).body.data).toEqual({ recovered: 10_000, hasMore: true });
    expect((await recover()).body.data).toEqual({ recovered: 1, hasMore: false });
  });

  test.each([
    [{}, 'since'],
    [{ since: '2026-01-31' }, 'since'],
    [{ since: '2026-01-31T12:00:00' }, 'since'],
    [{ since: '0000-01-31T12:00:00Z' }, 'since'],
    [{ since: 1769860800 }, 'since'],
    [{ since: '2026-01-31T12:00:00Z', until: '2026-02-01T12:00:00Z' }, 'until'],
  ])('are not recovered by %o', async (body, field) => {
    const { id, by } = await createWebhook(service);
    const answer = await by.call('POST', `/v0/webhooks/${id}/recover`, { body });
    expect(outcome(answer)).toMatchObject({ status: 400, details: { field } });
  });
});
