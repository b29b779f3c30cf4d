import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleStory } from '../../src/api/openapi/exampleStory.ts';
import { outcome } from './support/outcome.ts';
import { insertRecords } from './support/rows.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

/** Each call also checks its answer against the OpenAPI document of this profile. */
let service: TestService;
let principal: TestPrincipal;
beforeAll(async () => {
  service = await startTestService({ env: { CLIENT_PROFILE: 'shodai' } });
  principal = await service.createPrincipal();
});
afterAll(() => service?.close());

const template = '/v0/agreements/validate-template';

test('a POST that succeeds is answered with 201, and with all else as by default', async () => {
  const plain = await startTestService();
  try {
    const body = exampleStory.agreement;
    const usual = await (await plain.createPrincipal()).call('POST', template, { body });
    const answer = await principal.call('POST', template, { body });
    expect([answer.status, usual.status]).toEqual([201, 200]);
    expect(answer.body.data).toEqual(usual.body.data);
    const namesOf = ({ headers }: { headers: Headers }) => [...headers.keys()];
    expect(namesOf(answer)).toEqual(namesOf(usual));
  } finally {
    await plain.close();
  }
});

test('a POST that is repeated under its Idempotency-Key is answered with 201 too', async () => {
  const options = { body: exampleStory.agreement, headers: { 'idempotency-key': 'again' } };
  const first = await principal.call('POST', template, options);
  const second = await principal.call('POST', template, options);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(second.body).toEqual(first.body);
});

test('reads and refusals have the statuses that they have by default', async () => {
  expect((await principal.call('GET', '/v0/agreements')).status).toBe(200);
  expect((await principal.call('GET', '/v0/health')).status).toBe(200);
  expect(outcome(await principal.call('POST', template, { body: {} }))).toMatchObject({
    status: 400,
    details: { reason: 'invalid_agreement' },
  });
  expect((await principal.call('GET', '/v0/agreements/agr_unknown')).status).toBe(404);
  expect((await principal.call('POST', '/v0/agreements')).status).toBe(405);
});

test('the document has 201 for every POST, and 200 for everything else', async () => {
  const document = Object(await (await fetch(`${service.baseUrl}/v0/openapi.json`)).json());
  for (const methods of Object.values<Record<string, { responses: object }>>(document.paths))
    for (const [method, { responses }] of Object.entries(methods)) {
      // 202 stands for results that are not ready yet.
      const successes = Object.keys(responses).filter((status) => /^2\d\d$/.test(status) && status !== '202');
      expect(successes).toEqual([method === 'post' ? '201' : '200']);
    }
});

test('a preflight without a chain is about the first one, which the answer names', async () => {
  const { chainId: _, ...deployment } = exampleStory.deployment;
  const answer = await principal.call('POST', '/v0/agreements/validate', { body: deployment });
  expect(answer).toMatchObject({ status: 201, body: { data: { chainId: 59141 } } });
  const refused = await principal.call('POST', '/v0/agreements/validate', {
    body: { ...deployment, initValues: [] },
  });
  expect(outcome(refused)).toMatchObject({ status: 400, details: { reason: 'invalid_values' } });
});

test('filters take days, which begin at midnight in UTC', async () => {
  const other = await service.createPrincipal();
  await insertRecords(service.handle.pool, other, [
    { id: 'agr_before', created_at: '2026-01-30T23:59:59Z' },
    { id: 'agr_at', created_at: '2026-01-31T00:00:00Z' },
  ]);
  const listed = await other.call('GET', '/v0/agreements?createdAt[gte]=2026-01-31');
  expect(listed.body.data).toMatchObject([{ id: 'agr_at' }]);
  const earlier = await other.call('GET', '/v0/agreements?createdAt[lt]=2026-01-31');
  expect(earlier.body.data).toMatchObject([{ id: 'agr_before' }]);
  for (const day of ['2026-02-30', '0000-01-01', '2026-1-1', 'today'])
    expect((await other.call('GET', `/v0/agreements?createdAt[gte]=${day}`)).status).toBe(400);
});

test('an unknown profile is a fault of the configuration', async () => {
  await expect(startTestService({ env: { CLIENT_PROFILE: 'Shodai' } })).rejects.toThrow('CLIENT_PROFILE');
});
