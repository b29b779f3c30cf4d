import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sessionShape } from '../../../src/api/shapes/sessionShapes.ts';
import { NotFoundError } from '../../../src/platform/errors/serviceError.ts';
import { createKey, revokeKey } from '../../../src/records/principals/apiKeys.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { forgetSessions } from '../../../src/records/sessions/forgetSessions.ts';
import { getSession } from '../../../src/records/sessions/listSessions.ts';
import { heldTogether } from '../../support/heldTogether.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { outcome } from '../support/outcome.ts';
import { startTestApi, type TestPrincipal } from '../support/testService.ts';
import { type Browser, createBrowser } from './support/browser.ts';
import { expectWithinASecond, list, type SessionScene, startSessionScene } from './support/sessionScene.ts';

const tokenPattern = /^ags_[0-9a-f]{64}$/;

let scene: SessionScene;
beforeAll(async () => {
  scene = await startSessionScene();
});
afterAll(() => scene?.close());

describe('a session', () => {
  test('lets a browser in without the key, by a cookie that no script reads and no other site sends', async () => {
    const { browser, answer } = await scene.enter({ label: 'Ada' });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^agreements-session=ags_[0-9a-f]{64}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(JSON.stringify(answer.body)).not.toContain('ags_');
    expect((await browser.call('GET', list)).status).toBe(200);
    const current = await browser.call('GET', '/v0/sessions/current');
    expect(current.body.data).toMatchObject({
      principal: { id: scene.principal.id, name: scene.principal.name },
      session: { label: 'Ada', isCurrent: true, isNarrowed: false },
      scopes: { 'agreements.write': 'free_allowlist', 'webhooks.read': 'free_allowlist' },
    });
  });

  test('is opened once under an Idempotency-Key, with the same cookie each time', async () => {
    const headers = { 'x-api-key': scene.principal.key, 'idempotency-key': 'one-session' };
    const open = (label: string) =>
      scene.newBrowser().call('POST', '/v0/sessions', { body: { label }, headers });
    const first = await open('once');
    const again = await open('once');
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers.getSetCookie()).toEqual(first.headers.getSetCookie());
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const listed = await scene.principal.call('GET', '/v0/sessions');
    const labels = z
      .array(sessionShape)
      .parse(listed.body.data)
      .filter(({ label }) => label === 'once');
    expect(labels).toHaveLength(1);
    expect(outcome(await open('twice'))).toMatchObject({ status: 409 });
  });

  test('is stored only for its host and only over TLS if there is TLS', async () => {
    const secure = await startTestApi(scene.service.databaseUrl, {
      env: { PUBLIC_BASE_URL: 'https://agreements.example' },
    });
    try {
      const browser = createBrowser(secure.baseUrl);
      const entered = await browser.call('POST', '/v0/sessions', {
        headers: { 'x-api-key': scene.principal.key },
      });
      expect(entered.headers.getSetCookie()[0]).toMatch(
        /^__Host-agreements-session=ags_[0-9a-f]{64}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
      expect((await browser.call('GET', list)).status).toBe(200);
      // Another host of the domain could set a cookie without the prefix.
      const [token = ''] = browser.jar.values();
      const plain = createBrowser(secure.baseUrl);
      plain.jar.set('agreements-session', token);
      expect((await plain.call('GET', list)).status).toBe(401);
    } finally {
      await secure.close();
    }
  });

  test('sets its cookie once, so that no late answer puts a former session back into its browser', async () => {
    const { browser } = await scene.enter();
    for (const [method, path] of [
      ['GET', list],
      ['GET', '/v0/sessions/current'],
      ['POST', '/v0/sessions/links'],
    ] as const) {
      const { headers } = await browser.call(method, path, { body: method === 'POST' ? {} : undefined });
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  test('is stored as a hash alone, and shows in no log and no list', async () => {
    const { browser } = await scene.enter();
    await browser.call('GET', '/v0/agreements/agr_none');
    const [token = ''] = browser.jar.values();
    expect(token).toMatch(tokenPattern);
    const { rows } = await scene.service.handle.pool.query('select * from service.sessions');
    const listed = await scene.principal.call('GET', '/v0/sessions');
    for (const text of [JSON.stringify(rows), JSON.stringify(listed.body), scene.service.logLines.join('')])
      expect(text).not.toContain(token.slice(4));
  });

  test('cannot open another one, and a key beside its cookie decides', async () => {
    const { browser } = await scene.enter();
    const answer = await browser.call('POST', '/v0/sessions', { body: {} });
    expect(outcome(answer)).toMatchObject({ status: 401 });
    const stranger = await scene.service.createPrincipal();
    const current = await browser.call('GET', '/v0/sessions/current', {
      headers: { 'x-api-key': stranger.key },
    });
    expect(current.body.data).toMatchObject({ principal: { id: stranger.id } });
  });

  test("replaces the browser's earlier one, so that a planted session is useless", async () => {
    const planted = await scene.enter({}, await scene.service.createPrincipal());
    const browser = scene.newBrowser();
    for (const [name, value] of planted.browser.jar) browser.jar.set(name, value);
    await browser.call('POST', '/v0/sessions', { body: {}, headers: { 'x-api-key': scene.principal.key } });
    expect([...browser.jar.values()]).not.toEqual([...planted.browser.jar.values()]);
    expect((await browser.call('GET', '/v0/sessions/current')).body.data).toMatchObject({
      principal: { id: scene.principal.id },
    });
    await expectWithinASecond(401, () => planted.browser.call('GET', list));
  });

  test('ends by itself when it is not used, and lasts while it is', async () => {
    const idle = await scene.enter();
    await scene.age(idle.session.id, '12 hours');
    await expectWithinASecond(401, () => idle.browser.call('GET', list));
    const busy = await scene.enter();
    await scene.age(busy.session.id, '11 hours');
    await waitUntil('its end has moved on', async () => {
      const { body } = await busy.browser.call('GET', '/v0/sessions/current');
      const { session } = z.object({ session: sessionShape }).parse(body.data);
      return Date.parse(session.expiresAt) - Date.now() > 11 * 3_600_000;
    });
  });

  test('ends when its browser says so, and the cookie is taken away', async () => {
    const { browser, session } = await scene.enter();
    const cookie = browser.cookie();
    const ended = await browser.call('DELETE', '/v0/sessions/current');
    expect(ended.body.data).toMatchObject({ id: session.id, endedAt: expect.any(String) });
    expect(browser.jar.size).toBe(0);
    await expectWithinASecond(401, () => browser.call('GET', list, { headers: { cookie } }));
    expect((await scene.principal.call('DELETE', '/v0/sessions/current')).status).toBe(404);
  });

  test('is listed for its principal alone, and ended by it alone', async () => {
    const owner = await scene.service.createPrincipal();
    const stranger = await scene.service.createPrincipal();
    const { browser, session } = await scene.enter({ label: 'Ada' }, owner);
    const find = ({ id: principalId }: TestPrincipal) =>
      getSession(scene.service.handle.database, { id: session.id, principalId });
    const listed = async ({ call }: Pick<TestPrincipal, 'call'>) => {
      const { body } = await call('GET', '/v0/sessions');
      return sessionShape
        .array()
        .parse(body.data)
        .map(({ id }) => id);
    };
    expect(await listed(owner)).toEqual([session.id]);
    expect(await listed(stranger)).toEqual([]);
    expect(await find(owner)).toMatchObject({ id: session.id });
    await expect(find(stranger)).rejects.toThrow(NotFoundError);
    expect((await stranger.call('DELETE', `/v0/sessions/${session.id}`)).status).toBe(404);
    expect((await browser.call('GET', list)).status).toBe(200);
    expect((await owner.call('DELETE', `/v0/sessions/${session.id}`)).status).toBe(200);
    await expectWithinASecond(401, () => browser.call('GET', list));
    expect(await listed(owner)).toEqual([]);
    await expect(find(owner)).rejects.toThrow(NotFoundError);
  });

  test('dies with its key, and with what its principal may do', async () => {
    const owner = await scene.service.createPrincipal();
    const { database } = scene.service.handle;
    const { id: keyId, key } = await createKey(database, { principal: owner.id, environment: 'testnet' });
    const { browser } = await scene.enter({}, { ...owner, key });
    const { secret } = await scene.makeLink({}, { ...owner, call: browser.call });
    await setEntitlement(database, { principal: owner.id, scope: 'agreements.*', mode: 'blocked' });
    await expectWithinASecond(403, () => browser.call('GET', list));
    expect((await browser.call('GET', '/v0/webhooks')).status).toBe(200);
    await revokeKey(database, keyId);
    await expectWithinASecond(401, () => browser.call('GET', '/v0/webhooks'));
    expect((await scene.redeem(secret)).status).toBe(401);
  });

  test("counts towards the principal's limit", async () => {
    const few = await startTestApi(scene.service.databaseUrl, { env: { SESSIONS_MAX: '1' } });
    try {
      const owner = await scene.service.createPrincipal();
      const open = () =>
        createBrowser(few.baseUrl).call('POST', '/v0/sessions', { headers: { 'x-api-key': owner.key } });
      const first = await open();
      expect(outcome(await open())).toMatchObject({
        status: 409,
        details: { reason: 'session_limit_reached', limit: 1 },
      });
      const { id } = sessionShape.parse(first.body.data);
      await owner.call('DELETE', `/v0/sessions/${id}`);
      const answers = await heldTogether(scene.service.handle.pool, {
        lock: ['select 1 from service.principals where id = $1 for update', [owner.id]],
        calls: [open, open],
      });
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    } finally {
      await few.close();
    }
  });

  test('is forgotten a day after it has expired', async () => {
    const { session } = await scene.enter();
    const { pool } = scene.service.handle;
    const expire = (interval: string) =>
      pool.query('update service.sessions set expires_at = now() - $2::interval where id = $1', [
        session.id,
        interval,
      ]);
    await expire('23 hours');
    expect(await forgetSessions(pool)).toBe(0);
    await expire('25 hours');
    expect(await forgetSessions(pool)).toBe(1);
    expect((await scene.principal.call('DELETE', `/v0/sessions/${session.id}`)).status).toBe(404);
  });
});

test('a session sees what its principal sees, and nothing of another', async () => {
  const entered: Browser[] = [];
  for (const owner of [await scene.service.createPrincipal(), await scene.service.createPrincipal()])
    entered.push((await scene.enter({}, owner)).browser);
  const [ada, grace] = entered;
  const made = await ada?.call('POST', '/v0/webhooks', { body: { url: 'https://93.184.215.14/x' } });
  const { id } = z.object({ id: z.string() }).parse(made?.body.data);
  expect((await ada?.call('GET', `/v0/webhooks/${id}`))?.status).toBe(200);
  expect((await grace?.call('GET', `/v0/webhooks/${id}`))?.status).toBe(403);
});
