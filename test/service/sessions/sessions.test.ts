import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { newPortalLinkShape, sessionShape } from '../../../src/api/shapes/sessionShapes.ts';
import { createKey, revokeKey } from '../../../src/records/principals/apiKeys.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { forgetSessions } from '../../../src/records/sessions/forgetSessions.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import type { Answer } from '../support/call.ts';
import { outcome } from '../support/outcome.ts';
import {
  startTestApi,
  startTestService,
  type TestPrincipal,
  type TestService,
} from '../support/testService.ts';
import { type Browser, createBrowser } from './support/browser.ts';

let service: TestService;
let principal: TestPrincipal;
beforeAll(async () => {
  service = await startTestService();
  principal = await service.createPrincipal();
});
afterAll(() => service?.close());

const list = '/v0/agreements';
const tokenPattern = /^ags_[0-9a-f]{64}$/;

/** A browser that a key of the principal has let in. */
async function enter(body: object = {}, { key } = principal) {
  const browser = createBrowser(service.baseUrl);
  const answer = await browser.call('POST', '/v0/sessions', { body, headers: { 'x-api-key': key } });
  expect(answer.status).toBe(200);
  return { browser, session: sessionShape.parse(answer.body.data), answer };
}

async function makeLink(body: object = {}, { call } = principal) {
  const answer = await call('POST', '/v0/sessions/links', { body });
  const link = newPortalLinkShape.parse(answer.body.data);
  return { link, secret: new URL(link.url).hash.slice(1) };
}

const redeem = (secret: string, browser = createBrowser(service.baseUrl)) =>
  browser.call('POST', '/v0/sessions', { body: { link: secret } });

const expectWithinASecond = async (status: number, ask: () => Promise<Answer>) => {
  const changedAt = performance.now();
  await waitUntil(`the answer is ${status}`, async () => {
    const isLate = performance.now() - changedAt >= 1_000;
    const answer = await ask();
    if (isLate) expect(answer.status).toBe(status);
    return answer.status === status;
  });
};

/** Makes it as if so long had passed for the session. */
const age = (id: string, interval: string) =>
  service.handle.pool.query(
    `update service.sessions set expires_at = expires_at - $2::interval where id = $1`,
    [id, interval],
  );

describe('a session', () => {
  test('lets a browser in without the key, by a cookie that no script reads and no other site sends', async () => {
    const { browser, answer } = await enter({ label: 'Ada' });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^agreements-session=ags_[0-9a-f]{64}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(JSON.stringify(answer.body)).not.toContain('ags_');
    expect((await browser.call('GET', list)).status).toBe(200);
    const current = await browser.call('GET', '/v0/sessions/current');
    expect(current.body.data).toMatchObject({
      principal: { id: principal.id, name: principal.name },
      session: { label: 'Ada', isCurrent: true, isNarrowed: false },
      scopes: { 'agreements.write': 'free_allowlist', 'webhooks.read': 'free_allowlist' },
    });
  });

  test('is kept by its host alone and by TLS alone where there is TLS', async () => {
    const secure = await startTestApi(service.databaseUrl, {
      env: { PUBLIC_BASE_URL: 'https://agreements.example' },
    });
    try {
      const browser = createBrowser(secure.baseUrl);
      const entered = await browser.call('POST', '/v0/sessions', { headers: { 'x-api-key': principal.key } });
      expect(entered.headers.getSetCookie()[0]).toMatch(
        /^__Host-agreements-session=ags_[0-9a-f]{64}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
      expect((await browser.call('GET', list)).status).toBe(200);
      // The name without the prefix could be set by another host of the domain.
      const [token = ''] = browser.jar.values();
      const plain = createBrowser(secure.baseUrl);
      plain.jar.set('agreements-session', token);
      expect((await plain.call('GET', list)).status).toBe(401);
    } finally {
      await secure.close();
    }
  });

  test('is stored as a hash alone, and shows in no log and no list', async () => {
    const { browser } = await enter();
    await browser.call('GET', '/v0/agreements/agr_none');
    const [token = ''] = browser.jar.values();
    expect(token).toMatch(tokenPattern);
    const { rows } = await service.handle.pool.query('select * from service.sessions');
    const listed = await principal.call('GET', '/v0/sessions');
    for (const text of [JSON.stringify(rows), JSON.stringify(listed.body), service.logLines.join('')])
      expect(text).not.toContain(token.slice(4));
  });

  test('cannot open another one, and a key beside its cookie decides', async () => {
    const { browser } = await enter();
    const answer = await browser.call('POST', '/v0/sessions', { body: {} });
    expect(outcome(answer)).toMatchObject({ status: 401 });
    const stranger = await service.createPrincipal();
    const current = await browser.call('GET', '/v0/sessions/current', {
      headers: { 'x-api-key': stranger.key },
    });
    expect(current.body.data).toMatchObject({ principal: { id: stranger.id } });
  });

  test('replaces the one that the browser had, so that one planted before is good for nothing', async () => {
    const planted = await enter({}, await service.createPrincipal());
    const browser = createBrowser(service.baseUrl);
    for (const [name, value] of planted.browser.jar) browser.jar.set(name, value);
    await browser.call('POST', '/v0/sessions', { body: {}, headers: { 'x-api-key': principal.key } });
    expect([...browser.jar.values()]).not.toEqual([...planted.browser.jar.values()]);
    expect((await browser.call('GET', '/v0/sessions/current')).body.data).toMatchObject({
      principal: { id: principal.id },
    });
    await expectWithinASecond(401, () => planted.browser.call('GET', list));
  });

  test('ends by itself when it is not used, and goes on as long as it is', async () => {
    const idle = await enter();
    await age(idle.session.id, '12 hours');
    await expectWithinASecond(401, () => idle.browser.call('GET', list));
    const busy = await enter();
    await age(busy.session.id, '11 hours');
    await waitUntil('its end has moved on', async () => {
      const { body } = await busy.browser.call('GET', '/v0/sessions/current');
      const { session } = z.object({ session: sessionShape }).parse(body.data);
      return Date.parse(session.expiresAt) - Date.now() > 11 * 3_600_000;
    });
  });

  test('ends when its browser says so, and the cookie is taken away', async () => {
    const { browser, session } = await enter();
    const cookie = browser.cookie();
    const ended = await browser.call('DELETE', '/v0/sessions/current');
    expect(ended.body.data).toMatchObject({ id: session.id, endedAt: expect.any(String) });
    expect(browser.jar.size).toBe(0);
    await expectWithinASecond(401, () => browser.call('GET', list, { headers: { cookie } }));
    expect((await principal.call('DELETE', '/v0/sessions/current')).status).toBe(404);
  });

  test('is listed for its principal alone, and ended by it alone', async () => {
    const owner = await service.createPrincipal();
    const stranger = await service.createPrincipal();
    const { browser, session } = await enter({ label: 'Ada' }, owner);
    const listed = async ({ call }: Pick<TestPrincipal, 'call'>) => {
      const { body } = await call('GET', '/v0/sessions');
      return sessionShape
        .array()
        .parse(body.data)
        .map(({ id }) => id);
    };
    expect(await listed(owner)).toEqual([session.id]);
    expect(await listed(stranger)).toEqual([]);
    expect((await stranger.call('DELETE', `/v0/sessions/${session.id}`)).status).toBe(404);
    expect((await browser.call('GET', list)).status).toBe(200);
    expect((await owner.call('DELETE', `/v0/sessions/${session.id}`)).status).toBe(200);
    await expectWithinASecond(401, () => browser.call('GET', list));
    expect(await listed(owner)).toEqual([]);
  });

  test('dies with its key, and with what its principal may do', async () => {
    const owner = await service.createPrincipal();
    const { database } = service.handle;
    const { id: keyId, key } = await createKey(database, { principal: owner.id, environment: 'testnet' });
    const { browser } = await enter({}, { ...owner, key });
    const { secret } = await makeLink({}, { ...owner, call: browser.call });
    await setEntitlement(database, { principal: owner.id, scope: 'agreements.*', mode: 'blocked' });
    await expectWithinASecond(403, () => browser.call('GET', list));
    expect((await browser.call('GET', '/v0/webhooks')).status).toBe(200);
    await revokeKey(database, keyId);
    await expectWithinASecond(401, () => browser.call('GET', '/v0/webhooks'));
    expect((await redeem(secret)).status).toBe(401);
  });

  test('is one of so many that a principal may have', async () => {
    const few = await startTestApi(service.databaseUrl, { env: { SESSIONS_MAX: '1' } });
    try {
      const owner = await service.createPrincipal();
      const open = () =>
        createBrowser(few.baseUrl).call('POST', '/v0/sessions', { headers: { 'x-api-key': owner.key } });
      const first = await open();
      expect(outcome(await open())).toMatchObject({
        status: 409,
        details: { reason: 'session_limit_reached', limit: 1 },
      });
      const { id } = sessionShape.parse(first.body.data);
      await owner.call('DELETE', `/v0/sessions/${id}`);
      expect((await open()).status).toBe(200);
    } finally {
      await few.close();
    }
  });

  test('is forgotten a month after it has ended', async () => {
    const { session } = await enter();
    await age(session.id, '31 days');
    expect(await forgetSessions(service.handle.pool)).toBe(1);
    expect((await principal.call('DELETE', `/v0/sessions/${session.id}`)).status).toBe(404);
  });
});

describe('a narrowed session', () => {
  test('is good for its capabilities alone, whatever the key is', async () => {
    const { browser } = await enter({ capabilities: ['agreements.read'] });
    expect((await browser.call('GET', list)).status).toBe(200);
    for (const [method, path] of [
      ['POST', '/v0/agreements/validate-template'],
      ['GET', '/v0/webhooks'],
      ['POST', '/v0/webhooks'],
      ['GET', '/v0/events'],
    ] as const)
      expect((await browser.call(method, path, method === 'POST' ? { body: {} } : {})).status).toBe(403);
    expect((await browser.call('GET', '/v0/sessions/current')).body.data).toMatchObject({
      session: { isNarrowed: true, capabilities: ['agreements.read'] },
      scopes: { 'agreements.read': 'free_allowlist' },
    });
  });

  test('is never good for more than its key', async () => {
    const reader = await service.createPrincipal(['agreements.read']);
    const { browser } = await enter({ capabilities: ['agreements.read', 'agreements.write'] }, reader);
    expect((await browser.call('GET', list)).status).toBe(200);
    expect((await browser.call('POST', '/v0/agreements/validate-template', { body: {} })).status).toBe(403);
  });

  test('has nothing to do with sessions and links of others, but can end itself', async () => {
    const { browser, session } = await enter({ capabilities: ['agreements.read', 'agreements.write'] });
    const other = await enter();
    for (const [method, path] of [
      ['GET', '/v0/sessions'],
      ['GET', '/v0/sessions/links'],
      ['POST', '/v0/sessions/links'],
      ['DELETE', '/v0/sessions/links/plk_1'],
      ['DELETE', `/v0/sessions/${other.session.id}`],
    ] as const)
      expect((await browser.call(method, path)).status).toBe(403);
    expect((await browser.call('DELETE', '/v0/sessions/current')).body.data).toMatchObject({
      id: session.id,
    });
  });

  test.each([[[]], [['agreements.delete']], [['*']], [['agreements.*']]])(
    'cannot be made of %j',
    async (capabilities) => {
      const answer = await principal.call('POST', '/v0/sessions', { body: { capabilities } });
      expect(answer.status).toBe(400);
    },
  );
});

describe('a request by cookie', () => {
  const refusals: [string, Record<string, string>][] = [
    ['without the header of the service', { 'x-agreements-session': '' }],
    ['from a page of another origin', { origin: 'https://evil.example' }],
    ['from a page without an origin', { origin: 'null' }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['that was typed into the address bar', { 'sec-fetch-site': 'none' }],
  ];
  test.each(refusals)('%s is refused, reading or writing', async (_, headers) => {
    const { browser } = await enter();
    for (const [method, path, options] of [
      ['GET', list, {}],
      ['POST', '/v0/agreements/validate-template', { body: {} }],
      ['DELETE', '/v0/sessions/current', {}],
    ] as const)
      expect((await browser.call(method, path, { ...options, headers })).status).toBe(403);
    expect((await browser.call('GET', list, { headers: { origin: service.baseUrl } })).status).toBe(200);
  });

  test('gets no leave for other origins, also where such may call with a key', async () => {
    const origin = 'https://app.example.com';
    const shared = await startTestApi(service.databaseUrl, { env: { CORS_ORIGINS: origin } });
    try {
      const { browser } = await enter();
      const headers = { origin, cookie: browser.cookie(), 'x-agreements-session': '1' };
      const answer = await fetch(`${shared.baseUrl}${list}`, { headers });
      expect([answer.status, answer.headers.get('access-control-allow-credentials')]).toEqual([403, null]);
      const opened = await fetch(`${shared.baseUrl}/v0/sessions`, {
        method: 'POST',
        headers: { origin, 'x-api-key': principal.key },
      });
      expect([opened.status, opened.headers.get('set-cookie')]).toEqual([403, null]);
    } finally {
      await shared.close();
    }
  });

  test("of something that is no token, or nobody's, is refused", async () => {
    for (const token of ['', 'x', principal.key, `ags_${'0'.repeat(64)}`, `ags_${'0'.repeat(63)}`]) {
      const browser = createBrowser(service.baseUrl);
      browser.jar.set('agreements-session', token);
      expect((await browser.call('GET', list)).status).toBe(401);
    }
  });
});

describe('a portal link', () => {
  test('opens one session with its capabilities, and no second one', async () => {
    const { link, secret } = await makeLink({ capabilities: ['agreements.read'], label: 'Grace' });
    expect(link.url).toMatch(/\/console\/enter#agp_[0-9a-f]{64}$/);
    const browser = createBrowser(service.baseUrl);
    const opened = await redeem(secret, browser);
    expect(opened.body.data).toMatchObject({
      label: 'Grace',
      capabilities: ['agreements.read'],
      isNarrowed: true,
      portalLinkId: link.id,
    });
    expect((await browser.call('GET', list)).status).toBe(200);
    expect((await browser.call('GET', '/v0/webhooks')).status).toBe(403);
    expect(outcome(await redeem(secret))).toMatchObject({ status: 401 });
  });

  test('lets one in of many that come at once', async () => {
    const { secret } = await makeLink();
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(secret)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(401)]);
  });

  test('that is revoked or expired opens nothing', async () => {
    const revoked = await makeLink();
    await principal.call('DELETE', `/v0/sessions/links/${revoked.link.id}`);
    const expired = await makeLink({ expiresInSeconds: 1 });
    await service.handle.pool.query(
      `update service.portal_links set expires_at = now() - interval '1 second' where id = $1`,
      [expired.link.id],
    );
    for (const { secret } of [revoked, expired]) expect((await redeem(secret)).status).toBe(401);
    const { body } = await principal.call('GET', '/v0/sessions/links');
    const ids = z
      .array(z.object({ id: z.string() }))
      .parse(body.data)
      .map(({ id }) => id);
    expect(ids).not.toContain(revoked.link.id);
    expect(ids).not.toContain(expired.link.id);
  });

  test('belongs to its principal, and its secret is stored as a hash alone', async () => {
    const { link, secret } = await makeLink();
    const stranger = await service.createPrincipal();
    expect((await stranger.call('DELETE', `/v0/sessions/links/${link.id}`)).status).toBe(404);
    expect((await stranger.call('GET', '/v0/sessions/links')).body.data).toEqual([]);
    const { rows } = await service.handle.pool.query('select * from service.portal_links');
    const listed = await principal.call('GET', '/v0/sessions/links');
    for (const text of [JSON.stringify(rows), JSON.stringify(listed.body), service.logLines.join('')])
      expect(text).not.toContain(secret.slice(4));
    expect((await redeem(secret)).status).toBe(200);
  });

  test('is not widened, renamed or used from another origin', async () => {
    const { secret } = await makeLink({ capabilities: ['agreements.read'] });
    const ask = (body: object, headers: Record<string, string> = {}) =>
      createBrowser(service.baseUrl).call('POST', '/v0/sessions', {
        body: { link: secret, ...body },
        headers,
      });
    expect((await ask({ capabilities: ['agreements.write'] })).status).toBe(400);
    expect((await ask({ label: 'Mallory' })).status).toBe(400);
    expect((await ask({}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask({}, { 'x-agreements-session': '' })).status).toBe(403);
    expect((await ask({})).status).toBe(200);
  });

  test('waits a day at most', async () => {
    const ask = (expiresInSeconds: number) =>
      principal.call('POST', '/v0/sessions/links', { body: { expiresInSeconds } });
    expect((await ask(86_400)).status).toBe(200);
    for (const seconds of [86_401, 0, -1, 0.5]) expect((await ask(seconds)).status).toBe(400);
  });

  test('shows its secret again to a repeated request alone', async () => {
    const options = { body: {}, headers: { 'idempotency-key': 'once' } };
    const [first, again] = [
      await principal.call('POST', '/v0/sessions/links', options),
      await principal.call('POST', '/v0/sessions/links', options),
    ];
    expect(again.body.data).toEqual(first.body.data);
    const { rows } = await service.handle.pool.query('select answer from service.idempotency_keys');
    const { url } = newPortalLinkShape.parse(first.body.data);
    for (const { answer } of rows) expect(String(answer)).not.toContain(new URL(url).hash.slice(1));
  });
});

/** Whatever a browser holds, it is never shown what is another principal's. */
test('a session sees what its principal sees, and nothing of another', async () => {
  const entered: Browser[] = [];
  for (const owner of [await service.createPrincipal(), await service.createPrincipal()])
    entered.push((await enter({}, owner)).browser);
  const [ada, grace] = entered;
  const made = await ada?.call('POST', '/v0/webhooks', { body: { url: 'https://93.184.215.14/x' } });
  const { id } = z.object({ id: z.string() }).parse(made?.body.data);
  expect((await ada?.call('GET', `/v0/webhooks/${id}`))?.status).toBe(200);
  expect((await grace?.call('GET', `/v0/webhooks/${id}`))?.status).toBe(403);
});
