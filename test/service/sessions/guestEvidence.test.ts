import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newSigningLinkShape, signingLinkShape } from '../../../src/api/shapes/sharingShapes.ts';
import { walletChallengeShape } from '../../../src/api/shapes/walletShapes.ts';
import { verifyEvidence } from '../../../src/protocol/evidence/verifyEvidence.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { createCall } from '../support/call.ts';
import { type EvidenceWorld, startEvidenceWorld } from '../support/evidenceWorld.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi } from '../support/testService.ts';
import { createBrowser } from './support/browser.ts';

/** One test plays and imports ten agreements. That takes up to half a minute on an idle machine. */
vi.setConfig({ testTimeout: 180_000 });

const path = '/v0/shared/agreement/evidence';
let world: EvidenceWorld;
let lease: Awaited<ReturnType<EvidenceWorld['playLease']>>;
let other: Awaited<ReturnType<EvidenceWorld['playLease']>>;
beforeAll(async () => {
  world = await startEvidenceWorld();
  lease = await world.playLease();
  other = await world.playLease();
  await world.catchUp();
});
afterAll(() => world?.close());

async function share(id = lease.id, body: object = { may: 'read' }) {
  const answer = await world.principal.call('POST', `/v0/agreements/${id}/links`, { body });
  const link = newSigningLinkShape.parse(answer.body.data);
  return { link, secret: new URL(link.url).hash.slice(1) };
}

const readAs = (secret: string, { query = '', accept = 'application/json' } = {}) =>
  fetch(`${world.service.baseUrl}${path}${query}`, { headers: { 'x-agreements-link': secret, accept } });

async function login(account: PrivateKeyAccount) {
  const browser = createBrowser(world.service.baseUrl);
  const body = { wallet: account.address };
  const made = await browser.call('POST', '/v0/wallet/challenges', { body });
  const { id: challengeId, message } = walletChallengeShape.parse(made.body.data);
  const signature = await account.signMessage({ message });
  await browser.call('POST', '/v0/wallet/sessions', { body: { challengeId, signature } });
  return browser;
}

const open = (participantAccess: 'none' | 'read', id = lease.id) =>
  world.principal.call('PATCH', `/v0/agreements/${id}`, { body: { participantAccess } });

describe('by a link, the evidence of its agreement', () => {
  test('is the file that the principal reads, and each time is kept', async () => {
    const { link, secret } = await share();
    const answer = await readAs(secret);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toContain(lease.address.toLowerCase());
    const file = await answer.text();
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, agreement: { docHash: lease.docHash } });
    for (const hidden of [world.principal.id, world.principal.name, secret, lease.id])
      expect(file).not.toContain(hidden);
    const listed = await world.principal.call('GET', `/v0/agreements/${lease.id}/links`);
    const found = signingLinkShape
      .array()
      .parse(listed.body.data)
      .find(({ id }) => id === link.id);
    expect(found?.uses).toMatchObject([{ kind: 'evidence', usedAt: expect.any(String) }]);
  });

  test('is a page for printing, under the policy of such pages', async () => {
    const { secret } = await share();
    const answer = await readAs(secret, { accept: 'text/html' });
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await answer.text()).toContain('Who signed what, and when');
  });

  test('is of its own agreement alone, and refused if the request names another', async () => {
    const { secret } = await share();
    const answer = await readAs(secret, { query: `?agreementId=${lease.id}` });
    const verdict = await verifyEvidence(await answer.text());
    expect(verdict).toMatchObject({ ok: true, agreement: { owner: lease.landlord.address.toLowerCase() } });
    const refused = await readAs(secret, { query: `?agreementId=${other.id}` });
    expect(refused.status).toBe(404);
    expect(await refused.text()).not.toContain(lease.landlord.address.toLowerCase());
  });

  test('is refused once the link is revoked or has expired, and for an unknown link', async () => {
    const [revoked, expired] = [await share(), await share()];
    await world.principal.call('DELETE', `/v0/agreements/${lease.id}/links/${revoked.link.id}`);
    const past = `update service.signing_links set expires_at = now() - interval '1 second' where id = $1`;
    await world.service.handle.pool.query(past, [expired.link.id]);
    for (const secret of [revoked.secret, expired.secret, `agl_${'0'.repeat(64)}`])
      expect((await readAs(secret)).status).toBe(401);
  });

  test('is refused while the principal may not read it itself', async () => {
    const { secret } = await share();
    const { database } = world.service.handle;
    const set = (mode: 'blocked' | 'free_allowlist') =>
      setEntitlement(database, { principal: world.principal.id, scope: 'agreements.read', mode });
    await set('blocked');
    expect((await readAs(secret)).status).toBe(403);
    await set('free_allowlist');
    expect((await readAs(secret)).status).toBe(200);
  });

  test('counts against the limits of the link', async () => {
    const slow = await startTestApi(world.service.databaseUrl, {
      rpcUrls: { [chainId]: world.chain.rpcUrl },
      env: { RATE_LIMIT_READS: '1', RATE_LIMIT_READ_BURST: '1', EVIDENCE_WAIT_MS: '120000' },
    });
    try {
      const { secret } = await share();
      const ask = createCall(slow.baseUrl);
      const headers = { 'x-agreements-link': secret };
      // All would need 19 seconds, however slowly the machine answers.
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask('GET', path, { headers })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    } finally {
      await slow.close();
    }
  });
});

describe('by a wallet that has logged in, the evidence of an agreement', () => {
  test('is read as long as its principal lets participants in, and of those alone that name the wallet', async () => {
    const browser = await login(lease.tenant);
    const read = (id: string) => browser.call('GET', `${path}?agreementId=${id}`);
    await open('read', other.id);
    const refused = outcome(await read(`agr_${'0'.repeat(32)}`));
    expect(refused).toMatchObject({ status: 404 });
    for (const id of [lease.id, other.id]) expect(outcome(await read(id))).toEqual(refused);
    await open('read');
    const answer = await read(lease.id);
    expect(answer.status).toBe(200);
    expect(await verifyEvidence(`${JSON.stringify(answer.body)}\n`)).toMatchObject({ ok: true });
    await open('none');
    expect((await read(lease.id)).status).toBe(404);
  });

  test('is shown to no other page, and to nobody without a session', async () => {
    await open('read');
    const browser = await login(lease.tenant);
    const ask = createCall(world.service.baseUrl);
    const url = `${path}?agreementId=${lease.id}`;
    expect((await ask('GET', url, { headers: { cookie: browser.cookie() } })).status).toBe(403);
    expect((await ask('GET', url)).status).toBe(401);
    const stranger = await login(createAccount());
    expect((await stranger.call('GET', url)).status).toBe(404);
  });
});

test('guests whose evidence waits for a node leave the turn of the principal free', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const waiting = await startTestApi(world.service.databaseUrl, {
    rpcUrls: { [chainId]: `http://127.0.0.1:${port}` },
    // Calls of the node wait until the service ends, however long that takes.
    env: { EVIDENCE_WAIT_MS: '0', RPC_TIMEOUT_MS: '600000' },
  });
  try {
    const ask = createCall(waiting.baseUrl);
    const statuses: number[] = [];
    while (!statuses.includes(429) && statuses.length < 20) {
      const { secret } = await share((await world.playDirectLease()).id);
      await world.catchUp();
      statuses.push((await ask('GET', path, { headers: { 'x-agreements-link': secret } })).status);
    }
    expect(statuses.at(-1)).toBe(429);
    const own = createCall(waiting.baseUrl, world.principal.key);
    expect((await own('GET', `/v0/agreements/${lease.id}/evidence`)).status).toBe(202);
    // Closing the service ends all of them, although the node has not answered.
    await waiting.close();
    const ended = waiting.logLines.filter((line) => line.includes('the service is stopping'));
    expect(ended).toHaveLength(statuses.filter((status) => status === 202).length + 1);
  } finally {
    await waiting.close();
    silent.closeAllConnections();
    silent.close();
  }
});
