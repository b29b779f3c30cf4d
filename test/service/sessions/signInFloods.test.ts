import { afterAll, beforeAll, expect, test } from 'vitest';
import { walletChallengeShape } from '../../../src/api/shapes/walletShapes.ts';
import { createAccount } from '../support/permits.ts';
import { startTestApi, startTestService, type TestService } from '../support/testService.ts';
import { createBrowser } from './support/browser.ts';

/** The defaults. */
const env = { RATE_LIMIT_WRITES: '10', RATE_LIMIT_WRITE_BURST: '20' };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ env });
});
afterAll(() => service?.close());

const askFor = (wallet: string, baseUrl = service.baseUrl, headers: Record<string, string> = {}) =>
  createBrowser(baseUrl).call('POST', '/v0/wallet/challenges', { body: { wallet }, headers });

test('200 challenges of other wallets from clients that are not told apart keep no wallet from logging in', async () => {
  const flood = Array.from({ length: 200 }, () => askFor(createAccount().address));
  const answers = await Promise.all(flood);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const account = createAccount();
  const asked = await askFor(account.address);
  const { id: challengeId, message } = walletChallengeShape.parse(asked.body.data);
  const body = { challengeId, signature: await account.signMessage({ message }) };
  const answer = await createBrowser(service.baseUrl).call('POST', '/v0/wallet/sessions', { body });
  expect(answer.status).toBe(200);
});

test('a flood of challenges stores no more rows than 20 clients could', async () => {
  const slow = { RATE_LIMIT_WRITES: '1', RATE_LIMIT_WRITE_BURST: '1' };
  const { baseUrl, close } = await startTestApi(service.databaseUrl, { env: slow });
  await service.handle.pool.query('delete from service.rate_buckets');
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 300 }, () => askFor(createAccount().address, baseUrl)),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const stored = answers.filter(({ status }) => status === 200).length;
  expect(stored).toBeGreaterThanOrEqual(20);
  expect(stored).toBeLessThanOrEqual(20 + Math.ceil(20 * seconds));
  await close();
});

test('a client that the service can tell from others is held to its own rate', async () => {
  const behindProxy = await startTestApi(service.databaseUrl, { env: { ...env, TRUSTED_PROXIES: '1' } });
  const ask = (client: string) =>
    askFor(createAccount().address, behindProxy.baseUrl, { 'x-forwarded-for': client });
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask('192.0.2.7')));
  expect(answers.some(({ status }) => status === 429)).toBe(true);
  expect((await ask('192.0.2.8')).status).toBe(200);
  await behindProxy.close();
});

test.each([
  ['/v0/wallet/challenges', '192.0.2.11'],
  ['/v0/wallet/sessions', '192.0.2.12'],
  ['/v0/sessions/links/preview', '192.0.2.13'],
  ['/v0/sessions', '192.0.2.14'],
])('requests to %s count before their bodies are read', async (path, client) => {
  const { baseUrl, close } = await startTestApi(service.databaseUrl, {
    env: { RATE_LIMIT_WRITES: '1', RATE_LIMIT_WRITE_BURST: '1', TRUSTED_PROXIES: '1' },
  });
  const headers = { 'x-forwarded-for': client };
  const send = () => createBrowser(baseUrl).call('POST', path, { text: '{', headers });
  const answers = await Promise.all(Array.from({ length: 20 }, send));
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toContain(400);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10);
  await close();
});

test('requests through a proxy that is not configured are told once to the operator', async () => {
  const told = () => service.logLines.filter((line) => line.includes('TRUSTED_PROXIES')).length;
  expect(told()).toBe(0);
  for (let time = 0; time < 3; time++)
    await askFor(createAccount().address, service.baseUrl, { 'x-forwarded-for': '192.0.2.7' });
  expect(told()).toBe(1);
});
