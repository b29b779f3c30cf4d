import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { newPortalLinkShape } from '../../../src/api/shapes/sessionShapes.ts';
import { outcome } from '../support/outcome.ts';
import { startTestApi } from '../support/testService.ts';
import { createBrowser } from './support/browser.ts';
import { list, type SessionScene, startSessionScene } from './support/sessionScene.ts';

let scene: SessionScene;
beforeAll(async () => {
  scene = await startSessionScene();
});
afterAll(() => scene?.close());

describe('a portal link', () => {
  test('opens one session with its capabilities, and no second one', async () => {
    const { link, secret } = await scene.makeLink({ capabilities: ['agreements.read'], label: 'Grace' });
    expect(link.url).toMatch(/\/console\/enter#agp_[0-9a-f]{64}$/);
    const browser = scene.newBrowser();
    const opened = await scene.redeem(secret, browser);
    expect(opened.body.data).toMatchObject({
      label: 'Grace',
      capabilities: ['agreements.read'],
      isNarrowed: true,
      portalLinkId: link.id,
    });
    expect((await browser.call('GET', list)).status).toBe(200);
    expect((await browser.call('GET', '/v0/webhooks')).status).toBe(403);
    expect(outcome(await scene.redeem(secret))).toMatchObject({ status: 401 });
  });

  test('lets one in of many that come at once', async () => {
    const { secret } = await scene.makeLink();
    const answers = await Promise.all(Array.from({ length: 10 }, () => scene.redeem(secret)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(401)]);
  });

  test('that is revoked or expired opens nothing', async () => {
    const revoked = await scene.makeLink();
    await scene.principal.call('DELETE', `/v0/sessions/links/${revoked.link.id}`);
    const expired = await scene.makeLink({ expiresInSeconds: 1 });
    await scene.service.handle.pool.query(
      `update service.portal_links set expires_at = now() - interval '1 second' where id = $1`,
      [expired.link.id],
    );
    for (const { secret } of [revoked, expired]) expect((await scene.redeem(secret)).status).toBe(401);
    const { body } = await scene.principal.call('GET', '/v0/sessions/links');
    const ids = z
      .array(z.object({ id: z.string() }))
      .parse(body.data)
      .map(({ id }) => id);
    expect(ids).not.toContain(revoked.link.id);
    expect(ids).not.toContain(expired.link.id);
  });

  test('that is used or ended stays unchanged when it is ended', async () => {
    const used = await scene.makeLink();
    const ended = await scene.makeLink();
    expect((await scene.redeem(used.secret)).status).toBe(200);
    const end = async (id: string) =>
      (await scene.principal.call('DELETE', `/v0/sessions/links/${id}`)).body.data;
    expect(await end(used.link.id)).not.toHaveProperty('endedAt');
    expect(await end(used.link.id)).toHaveProperty('usedAt');
    const first = await end(ended.link.id);
    expect(first).toHaveProperty('endedAt');
    expect(await end(ended.link.id)).toEqual(first);
  });

  test('belongs to its principal, and its secret is stored as a hash alone', async () => {
    const { link, secret } = await scene.makeLink();
    const stranger = await scene.service.createPrincipal();
    expect((await stranger.call('DELETE', `/v0/sessions/links/${link.id}`)).status).toBe(404);
    expect((await stranger.call('GET', '/v0/sessions/links')).body.data).toEqual([]);
    const { rows } = await scene.service.handle.pool.query('select * from service.portal_links');
    const listed = await scene.principal.call('GET', '/v0/sessions/links');
    for (const text of [JSON.stringify(rows), JSON.stringify(listed.body), scene.service.logLines.join('')])
      expect(text).not.toContain(secret.slice(4));
    expect((await scene.redeem(secret)).status).toBe(200);
  });

  test('tells a page of the service whom it lets in as, and is not used up by that', async () => {
    const { secret } = await scene.makeLink({ capabilities: ['agreements.read'], label: 'Grace' });
    const preview = (headers: Record<string, string> = {}, link = secret) =>
      scene.newBrowser().call('POST', '/v0/sessions/links/preview', { body: { link }, headers });
    const { id, name } = scene.principal;
    expect((await preview()).body.data).toEqual({
      principal: { id, name },
      label: 'Grace',
      capabilities: ['agreements.read'],
      isNarrowed: true,
      expiresAt: expect.any(String),
    });
    expect((await preview({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await preview({ 'x-agreements-session': '' })).status).toBe(403);
    expect((await scene.redeem(secret)).status).toBe(200);
    const used = outcome(await preview());
    expect(used).toMatchObject({ status: 401 });
    expect(outcome(await preview({}, `agp_${'0'.repeat(64)}`))).toEqual(used);
  });

  test('is not widened, renamed or used from another origin', async () => {
    const { secret } = await scene.makeLink({ capabilities: ['agreements.read'] });
    const ask = (body: object, headers: Record<string, string> = {}) =>
      scene.newBrowser().call('POST', '/v0/sessions', {
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
      scene.principal.call('POST', '/v0/sessions/links', { body: { expiresInSeconds } });
    expect((await ask(86_400)).status).toBe(200);
    for (const seconds of [86_401, 0, -1, 0.5]) expect((await ask(seconds)).status).toBe(400);
  });

  test("counts towards its principal's limit while it waits", async () => {
    const few = await startTestApi(scene.service.databaseUrl, { env: { SESSIONS_MAX: '1' } });
    try {
      const [owner, stranger] = [
        await scene.service.createPrincipal(),
        await scene.service.createPrincipal(),
      ];
      const make = ({ key }: { key: string }) =>
        createBrowser(few.baseUrl).call('POST', '/v0/sessions/links', {
          body: {},
          headers: { 'x-api-key': key },
        });
      expect((await make(stranger)).status).toBe(200);
      const { body } = await make(owner);
      expect(outcome(await make(owner))).toMatchObject({
        status: 409,
        details: { reason: 'link_limit_reached', limit: 1 },
      });
      const { id } = newPortalLinkShape.parse(body.data);
      await owner.call('DELETE', `/v0/sessions/links/${id}`);
      expect((await make(owner)).status).toBe(200);
    } finally {
      await few.close();
    }
  });

  test('shows its secret again to a repeated request alone', async () => {
    const options = { body: {}, headers: { 'idempotency-key': 'once' } };
    const [first, again] = [
      await scene.principal.call('POST', '/v0/sessions/links', options),
      await scene.principal.call('POST', '/v0/sessions/links', options),
    ];
    expect(again.body.data).toEqual(first.body.data);
    const { rows } = await scene.service.handle.pool.query('select answer from service.idempotency_keys');
    const { url } = newPortalLinkShape.parse(first.body.data);
    for (const { answer } of rows) expect(String(answer)).not.toContain(new URL(url).hash.slice(1));
  });
});
