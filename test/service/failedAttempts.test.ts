import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { newSigningLinkShape } from '../../src/api/shapes/sharingShapes.ts';
import { walletChallengeShape } from '../../src/api/shapes/walletShapes.ts';
import { createApiKeyText } from '../../src/records/principals/apiKey.ts';
import { createSecret } from '../../src/records/sessions/secretText.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createBrowser } from './sessions/support/browser.ts';
import { type Answer, createCall } from './support/call.ts';
import { buildLease } from './support/documents.ts';
import { outcome } from './support/outcome.ts';
import { createAccount } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import { startTestApi, startTestService, type TestApi, type TestService } from './support/testService.ts';

const list = '/v0/agreements';
const tolerated = 50;

let service: TestService;
let behindProxy: TestApi;
beforeAll(async () => {
  service = await startTestService();
  behindProxy = await startTestApi(service.databaseUrl, { env: { TRUSTED_PROXIES: '1' } });
});
afterAll(async () => {
  await behindProxy?.close();
  await service?.close();
});

/**
 * Calls as a client with this address. The proxy appends the address to the forwarding header; the entry
 * before it is the client's own claim.
 */
const callFrom = (address: string, key = createApiKeyText('testnet')) =>
  createCall(behindProxy.baseUrl, key)('GET', list, {
    headers: { 'x-forwarded-for': `9.9.9.9, ${address}` },
  });

const failOften = (address: string) =>
  Promise.all(Array.from({ length: tolerated + 20 }, () => callFrom(address)));

/** The secret of a signing link to a new draft. */
async function shareDraft(): Promise<string> {
  const principal = await service.createPrincipal();
  const [landlord, tenant] = [createAccount().address, createAccount().address];
  const draft = {
    ...{ agreement: buildLease(createAccount().address), displayName: 'Lease', chainId },
    ...{ initValues: { landlord, tenant, rent: '5' }, signer: landlord },
  };
  const { body } = await principal.call('POST', '/v0/agreements/drafts', { body: draft });
  const { id } = recordShape.parse(body.data);
  const shared = await principal.call('POST', `/v0/agreements/${id}/links`, { body: { may: 'sign' } });
  return new URL(newSigningLinkShape.parse(shared.body.data).url).hash.slice(1);
}

/**
 * Fails until a call is refused. The service forgets five failures a second, and a busy machine may fail more
 * slowly than that.
 */
const awaitRefusal = (call: () => Promise<Answer[]>): Promise<Answer> =>
  waitUntil('a call is refused', async () => (await call()).find(({ status }) => status === 429));

describe('a client that tries unknown keys', () => {
  test('is asked to wait after too many failures, and others are not', async () => {
    const answers = await failOften('203.0.113.1');
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(tolerated);
    const refused = await awaitRefusal(() => failOften('203.0.113.1'));
    expect(outcome(refused)).toEqual({
      status: 429,
      code: 'rate_limited',
      message: 'Too many attempts with invalid API keys.',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await callFrom('203.0.113.2')).status).toBe(401);
  });

  test('shuts out no key that was in use from the same address', async () => {
    const { key } = await service.createPrincipal();
    expect((await callFrom('203.0.113.3', key)).status).toBe(200);
    await awaitRefusal(() => failOften('203.0.113.3'));
    await service.createPrincipal();
    expect((await callFrom('203.0.113.3', key)).status).toBe(200);
  });

  test('shuts out no wallet and no signing link that was in use from the same address', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.6' };
    const account = createAccount();
    const browser = createBrowser(behindProxy.baseUrl);
    const made = await browser.call('POST', '/v0/wallet/challenges', { body: { wallet: account.address } });
    const { id: challengeId, message } = walletChallengeShape.parse(made.body.data);
    const signature = await account.signMessage({ message });
    await browser.call('POST', '/v0/wallet/sessions', { body: { challengeId, signature } });
    const secret = await shareDraft();
    const guest = createCall(behindProxy.baseUrl);
    const visit = async () => [
      (await browser.call('GET', '/v0/wallet/agreements', { headers: forwarded })).status,
      (await guest('GET', '/v0/shared/agreement', { headers: { ...forwarded, 'x-agreements-link': secret } }))
        .status,
    ];
    expect(await visit()).toEqual([200, 200]);
    await awaitRefusal(() => failOften('203.0.113.6'));
    expect(await visit()).toEqual([200, 200]);
  });

  test('is one client with all addresses of its IPv6 network', async () => {
    let neighbours = 0;
    await awaitRefusal(async () => {
      await failOften('2001:db8:1:2::a');
      return [await callFrom(`2001:db8:1:2:ffff:1:2:${++neighbours}`)];
    });
    expect((await callFrom('2001:db8:1:3::a')).status).toBe(401);
  });

  test('is asked to wait for wallet sessions that nobody has, too', async () => {
    const guess = () =>
      createCall(behindProxy.baseUrl)('GET', '/v0/wallet/sessions/current', {
        headers: {
          'x-forwarded-for': '203.0.113.5',
          'x-agreements-session': '1',
          cookie: `agreements-wallet=${createSecret('wallet')}; __Host-agreements-wallet=${createSecret('wallet')}`,
        },
      });
    expect((await guess()).status).toBe(401);
    await awaitRefusal(() => Promise.all(Array.from({ length: tolerated + 20 }, guess)));
  });

  test('looks like other clients behind a proxy that is not configured', async () => {
    const call = createCall(service.baseUrl, createApiKeyText('testnet'));
    const answers = await Promise.all(
      Array.from({ length: tolerated + 20 }, () =>
        call('GET', list, { headers: { 'x-forwarded-for': '203.0.113.4' } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  });
});
