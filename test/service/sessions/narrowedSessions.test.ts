import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { list, type SessionScene, startSessionScene } from './support/sessionScene.ts';

let scene: SessionScene;
beforeAll(async () => {
  scene = await startSessionScene();
});
afterAll(() => scene?.close());

describe('a narrowed session', () => {
  test('has only its capabilities, whatever the key has', async () => {
    const { browser } = await scene.enter({ capabilities: ['agreements.read'] });
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
    const reader = await scene.service.createPrincipal(['agreements.read']);
    const { browser } = await scene.enter({ capabilities: ['agreements.read', 'agreements.write'] }, reader);
    expect((await browser.call('GET', list)).status).toBe(200);
    expect((await browser.call('POST', '/v0/agreements/validate-template', { body: {} })).status).toBe(403);
  });

  test('has nothing to do with sessions and links of others, but can end itself', async () => {
    const { browser, session } = await scene.enter({ capabilities: ['agreements.read', 'agreements.write'] });
    const other = await scene.enter();
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

  test('gets no link that its principal made under the same Idempotency-Key, and spoils no key', async () => {
    const { browser } = await scene.enter({ capabilities: ['agreements.read'] });
    const makeLink = (key: string) => ({
      body: { label: 'Grace' },
      headers: { 'idempotency-key': key },
    });
    const path = '/v0/sessions/links';
    expect((await scene.principal.call('POST', path, makeLink('ours-first'))).status).toBe(200);
    expect((await browser.call('POST', path, makeLink('ours-first'))).status).toBe(403);
    expect((await browser.call('POST', path, makeLink('theirs-first'))).status).toBe(403);
    const answer = await scene.principal.call('POST', path, makeLink('theirs-first'));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
  });

  test.each([[[]], [['agreements.delete']], [['*']], [['agreements.*']]])(
    'cannot be made of %j',
    async (capabilities) => {
      const answer = await scene.principal.call('POST', '/v0/sessions', { body: { capabilities } });
      expect(answer.status).toBe(400);
    },
  );
});
