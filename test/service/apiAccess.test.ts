import { setTimeout as delay } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKeys } from '../../src/platform/database/tables/access.ts';
import { createApiKeyText } from '../../src/records/principals/apiKey.ts';
import {
  createKey,
  disableKey,
  enableKey,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../src/records/principals/apiKeys.ts';
import { setEntitlement } from '../../src/records/principals/entitlements.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type Answer, createCall } from './support/call.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

let service: TestService;
let principal: TestPrincipal;
beforeAll(async () => {
  service = await startTestService();
  principal = await service.createPrincipal();
});
afterAll(() => service.close());

const read = '/v0/agreements/agr_0';
const callWith = (headers: Record<string, string>) => createCall(service.baseUrl)('GET', read, { headers });
const outcome = ({ status, body }: Answer) => ({
  status,
  code: body.error?.code,
  message: body.error?.message,
});
const makeKey = () => createKey(service.handle.database, { principal: principal.id, environment: 'testnet' });

/**
 * A request that starts a second or more after a change must get the new answer, however slow the answer is.
 */
async function expectWithinASecond(status: number, ask: () => Promise<Answer>): Promise<void> {
  const changedAt = performance.now();
  await waitUntil(`the answer is ${status}`, async () => {
    const isLate = performance.now() - changedAt >= 1_000;
    const answer = await ask();
    if (isLate) expect(answer.status).toBe(status);
    return answer.status === status;
  });
}
const expectRefusedWithinASecond = (key: string) =>
  expectWithinASecond(401, () => callWith({ 'x-api-key': key }));

describe('a key', () => {
  test('in X-API-Key lets its principal in', async () => {
    expect((await callWith({ 'x-api-key': principal.key })).status).toBe(404);
  });

  test('as a bearer token does so too, in any case of the word', async () => {
    expect((await callWith({ authorization: `Bearer ${principal.key}` })).status).toBe(404);
    expect((await callWith({ authorization: `bearer ${principal.key}` })).status).toBe(404);
  });

  test.each([
    ['that is missing', {}],
    ['that is empty', { 'x-api-key': '' }],
    ['that was never issued', { 'x-api-key': createApiKeyText('testnet') }],
    ['of the other environment', { 'x-api-key': createApiKeyText('production') }],
    ['that has not the form of one', { 'x-api-key': 'agk_test_1' }],
    ['that is a JWT', { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl' }],
    ['with another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('%s is refused', async (_, headers) => {
    const answer = await callWith(headers);
    expect(outcome(answer)).toMatchSnapshot();
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
  });

  test('is refused on every route before anything else is looked at', async () => {
    const call = createCall(service.baseUrl);
    for (const [method, path] of [
      ['GET', '/v0/agreements?colour=red'],
      ['GET', '/v0/agreements/agr_1/state'],
      ['GET', '/v0/agreements/agr_1/inputs'],
      ['POST', '/v0/agreements/validate'],
      ['POST', '/v0/agreements/validate-template'],
      ['POST', '/v0/agreements/deploy-with-permit'],
      ['POST', '/v0/agreements/agr_1/input'],
    ] as const)
      expect((await call(method, path, method === 'POST' ? { text: '{' } : {})).status).toBe(401);
  });

  test('is stored as a hash alone', async () => {
    const { rows } = await service.handle.pool.query('select * from service.api_keys');
    expect(JSON.stringify(rows)).not.toContain(principal.key);
    expect(JSON.stringify(await listKeys(service.handle.database))).not.toMatch(/agk_|0x[0-9a-f]{64}/);
  });

  test('never shows in a log', () => {
    expect(service.logLines.join('')).not.toContain(principal.key);
  });
});

describe('within a second on a running service', () => {
  test('a revoked key is refused', async () => {
    const { id, key } = await makeKey();
    expect((await callWith({ 'x-api-key': key })).status).toBe(404);
    await revokeKey(service.handle.database, id);
    await expectRefusedWithinASecond(key);
    expect(outcome(await callWith({ 'x-api-key': key }))).toMatchSnapshot();
  });

  test('a disabled key is refused', async () => {
    const { id, key } = await makeKey();
    await callWith({ 'x-api-key': key });
    await disableKey(service.handle.database, id);
    await expectRefusedWithinASecond(key);
    expect(outcome(await callWith({ 'x-api-key': key }))).toMatchSnapshot();
  });

  test('a disabled key that is enabled is let in', async () => {
    const { id, key } = await makeKey();
    await disableKey(service.handle.database, id);
    await expectRefusedWithinASecond(key);
    await enableKey(service.handle.database, id);
    await expectWithinASecond(404, () => callWith({ 'x-api-key': key }));
  });

  test('a rotated key is refused and its successor let in', async () => {
    const { id, key } = await makeKey();
    await callWith({ 'x-api-key': key });
    const successor = await rotateKey(service.handle.database, { keyId: id, environment: 'testnet' });
    await expectRefusedWithinASecond(key);
    expect((await callWith({ 'x-api-key': successor.key })).status).toBe(404);
  });

  test('a key is refused that was changed past the service, without a notification', async () => {
    const { id, key } = await makeKey();
    await callWith({ 'x-api-key': key });
    await service.handle.database.update(apiKeys).set({ status: 'revoked' }).where(eq(apiKeys.id, id));
    await expectRefusedWithinASecond(key);
  });

  test('another entitlement is in force', async () => {
    const other = await service.createPrincipal();
    expect((await other.call('GET', read)).status).toBe(404);
    const change = { principal: other.id, scope: '*', mode: 'blocked' } as const;
    await setEntitlement(service.handle.database, change);
    await expectWithinASecond(403, () => other.call('GET', read));
  });
});

test('when a key was last used is recorded', async () => {
  const { id, key } = await makeKey();
  const before = Date.now();
  await callWith({ 'x-api-key': key });
  const used = await waitUntil('its use is recorded', async () => {
    const keys = await listKeys(service.handle.database, { principal: principal.name });
    return keys.find((candidate) => candidate.id === id)?.lastUsedAt ?? undefined;
  });
  expect(used.getTime()).toBeGreaterThanOrEqual(before);
});

test('a use is recorded with its own time, so a key was never used after it was revoked', async () => {
  const { id, key } = await makeKey();
  await callWith({ 'x-api-key': key });
  await delay(1_000);
  await revokeKey(service.handle.database, id);
  const { lastUsedAt, endedAt } = await waitUntil('the use is recorded', async () => {
    const keys = await listKeys(service.handle.database, { principal: principal.name });
    return keys.find((candidate) => candidate.id === id && candidate.lastUsedAt);
  });
  expect(lastUsedAt?.getTime()).toBeLessThanOrEqual(endedAt?.getTime() ?? 0);
});

describe('a principal', () => {
  test('without an entitlement to the scope is forbidden', async () => {
    const reader = await service.createPrincipal(['agreements.read']);
    expect((await reader.call('GET', read)).status).toBe(404);
    const answer = await reader.call('POST', '/v0/agreements/validate', { text: '{' });
    expect(outcome(answer)).toMatchSnapshot();
    expect(answer.status).toBe(403);
  });

  test('that has to pay is told so', async () => {
    const debtor = await service.createPrincipal();
    await setEntitlement(service.handle.database, {
      principal: debtor.name,
      scope: 'agreements.read',
      mode: 'paid_required',
    });
    const answer = await debtor.call('GET', read);
    expect(outcome(answer)).toMatchSnapshot();
    expect(answer.status).toBe(402);
  });
});
