import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createCipher } from '../../src/api/encryption/cipher.ts';
import { releaseNow } from '../../src/api/webhooks/releaseEvents.ts';
import { readSigningSecrets } from '../../src/api/webhooks/secrets.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createCall } from './support/call.ts';
import { outcome } from './support/outcome.ts';
import { insertRecords } from './support/rows.ts';
import {
  encryptionKey,
  startTestService,
  type TestPrincipal,
  type TestService,
} from './support/testService.ts';

const limit = 4;
let service: TestService;
/** Without an operator who allows anything. */
let hosted: TestService;
let owner: TestPrincipal;
let stranger: TestPrincipal;
beforeAll(async () => {
  service = await startTestService({
    env: { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8', WEBHOOK_SUBSCRIPTIONS_MAX: String(limit) },
  });
  hosted = await startTestService();
  owner = await service.createPrincipal();
  stranger = await service.createPrincipal();
});
afterAll(async () => {
  await service.close();
  await hosted.close();
});

const url = 'http://127.0.0.1:9/hook';
const webhookShape = z.looseObject({
  id: z.string(),
  secret: z.string().optional(),
  status: z.string(),
  eventTypes: z.array(z.string()),
  filters: z.unknown().optional(),
  createdByApiKeyId: z.string(),
});
type Webhook = z.output<typeof webhookShape>;

/** A principal of its own for each webhook that is not about several: none gets to its limit by others. */
async function create(
  body: Record<string, unknown> = {},
  by?: TestPrincipal,
): Promise<Webhook & { by: TestPrincipal }> {
  const principal = by ?? (await service.createPrincipal());
  const answer = await principal.call('POST', '/v0/webhooks', { body: { url, ...body } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { ...webhookShape.parse(answer.body.data), by: principal };
}

async function read({ id, by }: { id: string; by: TestPrincipal }): Promise<Webhook> {
  return webhookShape.parse((await by.call('GET', `/v0/webhooks/${id}`)).body.data);
}

async function change({ id, by }: { id: string; by: TestPrincipal }, body: unknown): Promise<Webhook> {
  const answer = await by.call('PATCH', `/v0/webhooks/${id}`, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return webhookShape.parse(answer.body.data);
}

const both = ['agreement.transitioned', 'agreement.notification.triggered'];

describe('a new webhook', () => {
  test('is answered with its secret, and read without it', async () => {
    const { by, secret, ...webhook } = await create({
      eventTypes: both,
      filters: { toStates: ['SIGNED', ''] },
    });
    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-f]{32}$/),
      principalId: by.id,
      createdByApiKeyId: expect.stringMatching(/^key_/),
      url,
      status: 'active',
      eventTypes: both,
      filters: { toStates: ['SIGNED', ''] },
      failuresInRow: 0,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: webhook.createdAt,
    });
    expect(await read({ by, ...webhook })).toEqual(webhook);
    const list = await by.call('GET', '/v0/webhooks');
    expect(list.body).toMatchObject({ data: [webhook], pageInfo: { limit: 25, nextCursor: null } });
  });

  test.each([{}, { eventTypes: null }, { eventTypes: [] }])(
    'gets transitions where it names no types: %o',
    async (body) => {
      const webhook = await create({ ...body, filters: null });
      expect(webhook.eventTypes).toEqual(['agreement.transitioned']);
      expect(webhook.filters).toBeUndefined();
    },
  );

  test('gets a type once that it names twice', async () => {
    expect((await create({ eventTypes: [...both, ...both] })).eventTypes).toEqual(both);
  });

  test('has a secret that is stored in no readable form, and in no log', async () => {
    const { id, secret = 'none' } = await create();
    const { rows } = await service.handle.pool.query(
      'select *, encode(secret, $2) as text from service.webhook_subscriptions where id = $1',
      [id, 'escape'],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length));
    expect(service.logLines.join('')).not.toContain(secret);
  });

  test('is shown with its secret again to the same request under its Idempotency-Key, and is one', async () => {
    const by = await service.createPrincipal();
    const headers = { 'idempotency-key': 'once' };
    const first = await by.call('POST', '/v0/webhooks', { body: { url }, headers });
    const again = await by.call('POST', '/v0/webhooks', { body: { url }, headers });
    expect(first.body.data).toHaveProperty('secret');
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await by.call('GET', '/v0/webhooks')).body.data).toHaveLength(1);
    const { rows } = await service.handle.pool.query('select * from service.idempotency_keys');
    expect(JSON.stringify(rows)).not.toContain(webhookShape.parse(first.body.data).secret);
  });

  test.each([
    ['no URL', {}, 'url'],
    ['a URL that is none', { url: 'example.com/hook' }, 'url'],
    ['a URL of another protocol', { url: 'ftp://127.0.0.1/hook' }, 'url'],
    ['a URL of JavaScript', { url: 'javascript:alert(1)' }, 'url'],
    ['a URL without slashes', { url: 'http:127.0.0.1/hook' }, 'url'],
    ['a URL with blanks around', { url: ' http://127.0.0.1/hook' }, 'url'],
    ['a URL with a line break in it', { url: 'http://127.0.0.1/ho\nok' }, 'url'],
    ['a URL with backslashes', { url: 'http://127.0.0.1\\@example.com/' }, 'url'],
    ['a URL with credentials', { url: 'http://me:secret@127.0.0.1/hook' }, 'url'],
    ['a URL with a user', { url: 'http://me@127.0.0.1/hook' }, 'url'],
    ['a URL with empty credentials', { url: 'http://:@127.0.0.1/hook' }, 'url'],
    ['a URL with a port that is none', { url: 'http://127.0.0.1:70000/hook' }, 'url'],
    ['a URL of 2049 characters', { url: `${url}${'a'.repeat(2_049 - url.length)}` }, 'url'],
    ['a URL that is a number', { url: 1 }, 'url'],
    ['an unknown type', { url, eventTypes: ['agreement.deleted'] }, 'eventTypes.0'],
    ['the type of tests', { url, eventTypes: ['agreement.transitioned', 'webhook.test'] }, 'eventTypes.1'],
    ['a type that is no text', { url, eventTypes: [1] }, 'eventTypes.0'],
    ['types that are no list', { url, eventTypes: 'agreement.transitioned' }, 'eventTypes'],
    ['an unknown filter', { url, filters: { colours: ['red'] } }, 'filters.colours'],
    ['a filter that is no list', { url, filters: { toStates: 'SIGNED' } }, 'filters.toStates'],
    ['a filter of null', { url, filters: { toStates: null } }, 'filters.toStates'],
    ['a filter value that is no text', { url, filters: { ruleIds: ['a', 7] } }, 'filters.ruleIds.1'],
    ['a filter value with NUL', { url, filters: { ruleIds: ['a\0'] } }, 'filters.ruleIds.0'],
    ['filters that are a list', { url, filters: ['SIGNED'] }, 'filters'],
    ['a secret of its own', { url, secret: 'whsec_1' }, 'secret'],
    ['a status', { url, status: 'disabled' }, 'status'],
  ])('is refused with %s', async (_, body, path) => {
    const answer = await owner.call('POST', '/v0/webhooks', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'bad_request', details: { field: path } });
    expect(answer.body.error?.details?.issues).toEqual([{ path, message: expect.any(String) }]);
  });

  test('may have a URL of 2048 characters', async () => {
    await create({ url: `${url}${'a'.repeat(2_048 - url.length)}` });
  });

  test.each([
    ['by http', 'http://93.184.215.14/hook'],
    ['to a port of the machine’s services', 'https://93.184.215.14:22/hook'],
    ['to a private network', 'https://10.0.0.1/hook'],
    ['to a private network in other words', 'https://0xa9fea9fe/hook'],
    ['to a private network of IPv6', 'https://[fd00::1]/hook'],
    ['to a mapped address', 'https://[::ffff:10.0.0.1]/hook'],
    ['to the machine itself', 'https://127.0.0.1/hook'],
    ['to the machine itself by name', 'https://localhost/hook'],
    ['to a name below it', 'https://any.localhost./hook'],
  ])('is refused %s in hosted use', async (_, target) => {
    const principal = await hosted.createPrincipal();
    const answer = await principal.call('POST', '/v0/webhooks', { body: { url: target } });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.details).toMatchObject({
      reason: 'webhook_target_not_allowed',
      field: 'url',
      issues: [{ path: 'url', message: expect.any(String) }],
    });
  });

  test('may be at a public address', async () => {
    await create({ url: 'https://93.184.215.14:8443/hook?for=me' });
  });
});

describe('the list', () => {
  test('goes from the newest to the oldest over pages, and holds nothing of others', async () => {
    const by = await service.createPrincipal();
    const made = [];
    for (let count = 0; count < limit; count++) made.push((await create({}, by)).id);
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
    const [first, second, third] = [await create({}, by), await create({}, by), await create({}, by)];
    await change(second, { status: 'disabled' });
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

describe('a change', () => {
  test('leaves what it does not name, and replaces what it names', async () => {
    const webhook = await create({ eventTypes: both, filters: { toStates: ['A'], ruleIds: ['r'] } });
    expect(await change(webhook, {})).toMatchObject({ url, eventTypes: both, filters: webhook.filters });
    const changed = await change(webhook, { url: `${url}/2`, filters: { inputIds: ['sign'] } });
    expect(changed).toMatchObject({ url: `${url}/2`, eventTypes: both, filters: { inputIds: ['sign'] } });
    expect(changed).not.toHaveProperty('secret');
    expect(await read(webhook)).toEqual(changed);
  });

  test.each([[null], [[]]])('of the types to %o makes them the default ones', async (eventTypes) => {
    const webhook = await create({ eventTypes: both });
    expect((await change(webhook, { eventTypes })).eventTypes).toEqual(['agreement.transitioned']);
  });

  test('of the filters to null removes them', async () => {
    const webhook = await create({ filters: { toStates: ['A'] } });
    expect((await change(webhook, { filters: null })).filters).toBeUndefined();
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
    const webhook = await create({ eventTypes: both });
    const before = await read(webhook);
    const answer = await webhook.by.call('PATCH', `/v0/webhooks/${webhook.id}`, {
      body: { eventTypes: null, ...body },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.details?.issues).toMatchObject([{ path }]);
    expect(await read(webhook)).toEqual(before);
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
        const { rows } = await pool.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0 || steps.length > 0;
      });
      steps.push('released');
    });
    await subscribed;
    expect(steps).toEqual(['released', 'subscribed']);
  },
);

describe('a disabled webhook', () => {
  test('stays, and can be disabled again', async () => {
    const webhook = await create();
    const disable = () => webhook.by.call('DELETE', `/v0/webhooks/${webhook.id}`);
    const [first, again] = [await disable(), await disable()];
    expect(first).toMatchObject({ status: 200, body: { data: { id: webhook.id, status: 'disabled' } } });
    expect(first.body.data).not.toHaveProperty('secret');
    expect(again.body.data).toEqual(first.body.data);
    expect((await read(webhook)).status).toBe('disabled');
  });

  test('is active again by a change of its status', async () => {
    const webhook = await create();
    await webhook.by.call('DELETE', `/v0/webhooks/${webhook.id}`);
    expect((await change(webhook, { status: 'active' })).status).toBe('active');
  });

  test('has failed what was waiting when it is active again, though no worker has run since', async () => {
    const webhook = await create();
    for (const status of ['pending', 'retry_pending', 'succeeded']) await insertDelivery(webhook, { status });
    await change(webhook, { status: 'active' });
    expect((await statusesOf(webhook)).toSorted()).toEqual(['pending', 'retry_pending', 'succeeded']);
    await webhook.by.call('DELETE', `/v0/webhooks/${webhook.id}`);
    await change(webhook, { status: 'active' });
    expect((await statusesOf(webhook)).toSorted()).toEqual(['failed', 'failed', 'succeeded']);
  });

  test('cannot be tested, and nothing of it be sent again', async () => {
    const webhook = await create();
    const delivery = await insertDelivery(webhook, { status: 'failed' });
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
    expect(await statusesOf(webhook)).toEqual(['failed']);
  });
});

describe('a principal has so many active webhooks as it may have', () => {
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

  test('where disabled ones do not count, but count when they become active', async () => {
    const by = await service.createPrincipal();
    const disabled = [];
    for (let count = 0; count < limit; count++) {
      const webhook = await create({}, by);
      disabled.push(await change({ ...webhook, by }, { status: 'disabled' }));
    }
    await create({}, by);
    const answers = await Promise.all(
      disabled.map(({ id }) => by.call('PATCH', `/v0/webhooks/${id}`, { body: { status: 'active' } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(limit - 1).fill(200), 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused && outcome(refused)).toMatchObject(reached);
  });

  test('and may change those that it has', async () => {
    const by = await service.createPrincipal();
    const webhooks = [];
    for (let count = 0; count < limit; count++) webhooks.push(await create({}, by));
    for (const webhook of webhooks) await change(webhook, { status: 'active', filters: null });
  });
});

describe('a rotated secret', () => {
  const cipher = createCipher([Buffer.from(encryptionKey, 'hex')]);
  const rotate = async ({ id, by }: { id: string; by: TestPrincipal }, body?: unknown) => {
    const answer = await by.call(
      'POST',
      `/v0/webhooks/${id}/rotate-secret`,
      body === undefined ? {} : { body },
    );
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return z
      .looseObject({ secret: z.string(), previousSecretUntil: z.string().optional() })
      .parse(answer.body.data);
  };
  const readSecrets = async ({ id }: { id: string }, at = new Date()) => {
    const { rows } = await service.handle.pool.query(
      `select id, secret, previous_secret as "previousSecret", previous_secret_until as "previousSecretUntil"
       from service.webhook_subscriptions where id = $1`,
      [id],
    );
    return readSigningSecrets(rows[0], cipher, at);
  };
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

  test('takes over at the end of the grace, and until then both are good', async () => {
    const webhook = await create();
    const { secret, previousSecretUntil } = await rotate(webhook, { graceSeconds: 600 });
    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(secret).not.toBe(webhook.secret);
    expect(await readSecrets(webhook)).toEqual({ own: webhook.secret, all: [secret, webhook.secret] });
    expect(await readSecrets(webhook, inSeconds(601))).toEqual({ own: secret, all: [secret] });
    const shown = await read(webhook);
    expect(shown).toMatchObject({ previousSecretUntil });
    expect(shown).not.toHaveProperty('secret');
  });

  test('has a grace of a day unless another is asked for, also without a body', async () => {
    for (const body of [undefined, {}]) {
      const webhook = await create();
      const { previousSecretUntil = '' } = await rotate(webhook, body);
      expect(Math.abs(Date.parse(previousSecretUntil) - inSeconds(86_400).getTime())).toBeLessThan(60_000);
    }
  });

  test('takes over at once without a grace', async () => {
    const webhook = await create();
    const { secret, previousSecretUntil } = await rotate(webhook, { graceSeconds: 0 });
    expect(previousSecretUntil).toBeUndefined();
    expect(await readSecrets(webhook)).toEqual({ own: secret, all: [secret] });
  });

  test('that is rotated again during its grace stays good, and the one before it ends', async () => {
    const webhook = await create();
    const second = await rotate(webhook, { graceSeconds: 600 });
    const third = await rotate(webhook, { graceSeconds: 600 });
    expect(await readSecrets(webhook)).toEqual({ own: second.secret, all: [third.secret, second.secret] });
  });

  test('is shown again to the same request under its Idempotency-Key, and rotated once', async () => {
    const webhook = await create();
    const send = () =>
      webhook.by.call('POST', `/v0/webhooks/${webhook.id}/rotate-secret`, {
        headers: { 'idempotency-key': 'rotate-once' },
      });
    const [first, again] = [await send(), await send()];
    expect(again.body.data).toEqual(first.body.data);
    const { secret } = webhookShape.parse(first.body.data);
    expect(await readSecrets(webhook)).toEqual({ own: webhook.secret, all: [secret, webhook.secret] });
  });

  test.each([[-1], [604_801], [1.5], ['3600'], [null]])('has no grace of %o', async (graceSeconds) => {
    const { id, by } = await create();
    const answer = await by.call('POST', `/v0/webhooks/${id}/rotate-secret`, { body: { graceSeconds } });
    expect(outcome(answer)).toMatchObject({ status: 400, details: { field: 'graceSeconds' } });
  });
});

describe('the deliveries of a webhook', () => {
  test('are listed from the newest with their last attempts, by status and over pages', async () => {
    const webhook = await create();
    const failed = await insertDelivery(webhook, { status: 'failed', attempts: 30, createdAt: '2026-01-01' });
    const done = await insertDelivery(webhook, { status: 'succeeded', attempts: 1, createdAt: '2026-01-02' });
    const open = await insertDelivery(webhook, { status: 'pending', createdAt: '2026-01-03' });
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
    const other = await create({}, webhook.by);
    const cursor = first.body.pageInfo?.nextCursor;
    const elsewhere = await webhook.by.call('GET', `/v0/webhooks/${other.id}/deliveries?cursor=${cursor}`);
    for (const answer of [elsewhere, await list(`?status=failed&cursor=${cursor}`), await list('?status=x')])
      expect(answer.status).toBe(400);
  });

  test.each(['failed', 'succeeded', 'retry_pending'])(
    'are due again by a redelivery of one that is %s',
    async (status) => {
      const webhook = await create();
      const id = await insertDelivery(webhook, { status, attempts: 5 });
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
    const webhook = await create();
    const id = await insertDelivery(webhook, { status: 'pending' });
    const answer = await webhook.by.call('POST', `/v0/webhooks/${webhook.id}/deliveries/${id}/redeliver`);
    expect(answer).toMatchObject({ status: 200, body: { data: { id, status: 'pending' } } });
  });

  test('that failed since a time are recovered together, in their order', async () => {
    const webhook = await create();
    const other = await create({}, webhook.by);
    await insertDelivery(other, { status: 'failed', createdAt: '2026-02-02' });
    await insertDelivery(webhook, { status: 'failed', createdAt: '2026-01-31T11:59:59.999Z' });
    const third = await insertDelivery(webhook, { status: 'failed', createdAt: '2026-02-02' });
    const first = await insertDelivery(webhook, { status: 'failed', createdAt: '2026-01-31T12:00:00Z' });
    const second = await insertDelivery(webhook, { status: 'failed', createdAt: '2026-02-01' });
    await insertDelivery(webhook, { status: 'succeeded', createdAt: '2026-02-03' });
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
    expect(await statusesOf(other)).toEqual(['failed']);
  });

  test('that failed are recovered in portions, each by a request', async () => {
    const webhook = await create();
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
    const { id, by } = await create();
    const answer = await by.call('POST', `/v0/webhooks/${id}/recover`, { body });
    expect(outcome(answer)).toMatchObject({ status: 400, details: { field } });
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
      const webhook = await create();
      const delivery = await insertDelivery(webhook, { status: 'failed' });
      const before = await read(webhook);
      const target = path.replace('DELIVERY', delivery);
      const at = (id: string) => `/v0/webhooks/${id}${target}`;
      expect(outcome(await stranger.call(method, at(webhook.id), optionsOf(method, path)))).toEqual({
        status: 403,
        code: 'forbidden',
        message: 'The webhook belongs to another principal.',
      });
      for (const unknown of ['wh_0', 'wh_%00', 'agr_0', "wh_'", 'WH_0'])
        expect((await stranger.call(method, at(unknown), optionsOf(method, path))).status).toBe(404);
      expect(await read(webhook)).toEqual(before);
      expect(await statusesOf(webhook)).toEqual(['failed']);
    },
  );

  test('a delivery is found at its own webhook alone', async () => {
    const by = await service.createPrincipal();
    const [one, other] = [await create({}, by), await create({}, by)];
    const foreign = await create();
    for (const delivery of [
      await insertDelivery(other, { status: 'failed' }),
      await insertDelivery(foreign, { status: 'failed' }),
      'dlv_0',
      'dlv_%00',
    ]) {
      const answer = await by.call('POST', `/v0/webhooks/${one.id}/deliveries/${delivery}/redeliver`);
      expect(outcome(answer)).toEqual({
        status: 404,
        code: 'not_found',
        message: 'The webhook has no such delivery.',
      });
    }
    expect(await statusesOf(foreign)).toEqual(['failed']);
  });

  test('reading and writing are scopes of their own', async () => {
    const webhook = await create();
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

/** A delivery of an event of its own, as the workers leave it. */
async function insertDelivery(
  { id: webhookId, by }: { id: string; by: TestPrincipal },
  row: { status: string; attempts?: number; createdAt?: string },
): Promise<string> {
  const { status, attempts = 0, createdAt = new Date().toISOString() } = row;
  const { pool } = service.handle;
  const name = Math.random().toString(36).slice(2);
  await pool.query(
    `insert into service.events (id, principal_id, type, body, state) values ($1, $2, 'webhook.test', '{}', 'released')`,
    [`evt_${name}`, by.id],
  );
  await pool.query(
    `insert into service.deliveries
       (id, subscription_id, event_id, status, attempt_count, response_status, created_at, next_attempt_at)
     values ($1, $2, $3, $4::text, $5, 200, $6::timestamptz,
       case when $4 = 'retry_pending' then now() + interval '1 hour' end)`,
    [
      `dlv_${name}`,
      webhookId,
      `evt_${name}`,
      status,
      attempts,
      `${createdAt}${createdAt.length === 10 ? 'T00:00:00Z' : ''}`,
    ],
  );
  await pool.query(
    `insert into service.delivery_attempts
       (delivery_id, number, started_at, duration_ms, response_status, response_excerpt)
     select $1, number, '2026-01-02T00:00:00Z', 12, 200, 'fine' from generate_series(1, $2::int) as number`,
    [`dlv_${name}`, attempts],
  );
  return `dlv_${name}`;
}

async function statusesOf({ id }: { id: string }): Promise<string[]> {
  const { rows } = await service.handle.pool.query<{ status: string }>(
    'select status from service.deliveries where subscription_id = $1',
    [id],
  );
  return rows.map(({ status }) => status);
}
