import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi } from '../support/testService.ts';
import { list, type SessionScene, startSessionScene } from './support/sessionScene.ts';

let scene: SessionScene;
beforeAll(async () => {
  scene = await startSessionScene();
});
afterAll(() => scene?.close());

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
    const { browser } = await scene.enter();
    for (const [method, path, options] of [
      ['GET', list, {}],
      ['POST', '/v0/agreements/validate-template', { body: {} }],
      ['DELETE', '/v0/sessions/current', {}],
    ] as const)
      expect((await browser.call(method, path, { ...options, headers })).status).toBe(403);
    expect((await browser.call('GET', list, { headers: { origin: scene.service.baseUrl } })).status).toBe(
      200,
    );
  });

  test('gets no leave for other origins, also where such may call with a key', async () => {
    const origin = 'https://app.example.com';
    const shared = await startTestApi(scene.service.databaseUrl, { env: { CORS_ORIGINS: origin } });
    try {
      const { browser } = await scene.enter();
      const headers = { origin, cookie: browser.cookie(), 'x-agreements-session': '1' };
      const answer = await fetch(`${shared.baseUrl}${list}`, { headers });
      expect([answer.status, answer.headers.get('access-control-allow-credentials')]).toEqual([403, null]);
      const opened = await fetch(`${shared.baseUrl}/v0/sessions`, {
        method: 'POST',
        headers: { origin, 'x-api-key': scene.principal.key },
      });
      expect([opened.status, opened.headers.get('set-cookie')]).toEqual([403, null]);
    } finally {
      await shared.close();
    }
  });

  test('with an invalid or unknown token is refused', async () => {
    for (const token of ['', 'x', scene.principal.key, `ags_${'0'.repeat(64)}`, `ags_${'0'.repeat(63)}`]) {
      const browser = scene.newBrowser();
      browser.jar.set('agreements-session', token);
      expect((await browser.call('GET', list)).status).toBe(401);
    }
  });
});
