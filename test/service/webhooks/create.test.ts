import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestPrincipal, type TestService } from '../support/testService.ts';
import {
  createWebhook,
  readWebhook,
  startWebhookService,
  webhookUrl as url,
  webhookShape,
} from '../support/webhooks.ts';

let service: TestService;
/** A service whose operator allows no additional targets. */
let hosted: TestService;
let owner: TestPrincipal;
beforeAll(async () => {
  service = await startWebhookService();
  hosted = await startTestService();
  owner = await service.createPrincipal();
});
afterAll(async () => {
  await service.close();
  await hosted.close();
});

const both = ['agreement.transitioned', 'agreement.notification.triggered'];

describe('a new webhook', () => {
  test('is answered with its secret, and read without it', async () => {
    const { by, secret, ...webhook } = await createWebhook(service, {
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
    expect(await readWebhook({ by, ...webhook })).toEqual(webhook);
    const list = await by.call('GET', '/v0/webhooks');
    expect(list.body).toMatchObject({ data: [webhook], pageInfo: { limit: 25, nextCursor: null } });
  });

  test.each([{}, { eventTypes: null }, { eventTypes: [] }])(
    'gets transitions if it names no types: %o',
    async (body) => {
      const webhook = await createWebhook(service, { ...body, filters: null });
      expect(webhook.eventTypes).toEqual(['agreement.transitioned']);
      expect(webhook.filters).toBeUndefined();
    },
  );

  test('gets a type once that it names twice', async () => {
    expect((await createWebhook(service, { eventTypes: [...both, ...both] })).eventTypes).toEqual(both);
  });

  test('has a secret that is stored in no readable form, and in no log', async () => {
    const { id, secret = 'none' } = await createWebhook(service);
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
    [
      'filters whose JSON is long',
      { url, filters: { toStates: Array(6).fill('\u0001'.repeat(1_000)) } },
      'filters',
    ],
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
    await createWebhook(service, { url: `${url}${'a'.repeat(2_048 - url.length)}` });
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
    await createWebhook(service, { url: 'https://93.184.215.14:8443/hook?for=me' });
  });
});
