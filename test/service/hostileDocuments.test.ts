import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Call, createCall } from './support/call.ts';
import { buildLease, reference } from './support/documents.ts';
import { startTestService, type TestService } from './support/testService.ts';

let service: TestService;
let call: Call;
let neighbour: Call;
beforeAll(async () => {
  service = await startTestService();
  call = (await service.createPrincipal()).call;
  neighbour = createCall(service.baseUrl);
});
afterAll(() => service.close());

const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const members = (count: number, value: unknown) =>
  Object.fromEntries(times(count, (at) => [`n${at}`, value]));

const lease = buildLease('0x5FbDB2315678afecb367f032d93F642f64180aa3');
const withExecution = (parts: object) => ({ ...lease, execution: { ...lease.execution, ...parts } });
const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const word = `0x${'1'.repeat(64)}`;

/** A request body for each route that takes a document. */
const routes: [string, (agreement: unknown) => unknown][] = [
  ['validate-template', (agreement) => agreement],
  ['validate', (agreement) => ({ agreement, chainId: 59141 })],
  ['deploy-typed-data', (agreement) => ({ agreement, chainId: 59141, signer: address })],
  [
    'deploy-with-permit',
    (agreement) => ({
      agreement,
      chainId: 59141,
      displayName: 'hostile',
      signer: address,
      deadline: 4_000_000_000,
      signature: { v: 27, r: word, s: word },
      docUri: 'ipfs://x',
    }),
  ],
  ['import', (agreement) => ({ agreement, chainId: 59141, address, displayName: 'hostile' })],
];

const documents: [string, unknown][] = [
  ['actions that are numbers', withExecution({ actions: times(39_000, () => 0) })],
  [
    '36,000 fields',
    withExecution({ inputs: Object.fromEntries(times(9, (at) => [`n${at}`, { data: members(4_000, 1) }])) }),
  ],
  [
    'a name of 17,000 characters over fields at fault',
    withExecution({
      inputs: {
        ['n'.repeat(17_000)]: { data: members(3_000, { type: 'uint256', validation: { min: -1 } }) },
      },
    }),
  ],
  [
    'many fields that repeat large rules',
    {
      ...withExecution({ inputs: { accept: { data: members(4_000, reference('tenant')) } } }),
      variables: { tenant: { type: 'string', validation: { note: 'x'.repeat(300_000) } } },
    },
  ],
];

describe.each(routes)('POST /v0/agreements/%s', (route, build) => {
  test.each(documents)('refuses a document with %s at once and in few words', async (_, agreement) => {
    const body = build(agreement);
    const before = process.threadCpuUsage();
    const [answer, health] = await Promise.all([
      call('POST', `/v0/agreements/${route}`, { body }),
      neighbour('GET', '/v0/health'),
    ]);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
    expect(health.status).toBe(200);
    expect(answer.status).toBe(400);
    expect(answer.body.error?.details?.reason).toBe('invalid_agreement');
    expect(JSON.stringify(answer.body).length).toBeLessThan(64_000);
  });

  test('refuses a document over its bytes as too large', async () => {
    const body = build({ ...lease, content: { type: 'md', data: 'x'.repeat(524_288) } });
    const answer = await call('POST', `/v0/agreements/${route}`, { body });
    expect(answer.status).toBe(413);
    expect(answer.body.error).toMatchObject({
      code: 'payload_too_large',
      details: { limitBytes: 524_288 },
    });
  });
});

test.each([
  ['observers', times(39_000, () => 0)],
  ['participants', times(19_000, () => ({}))],
  ['initValues', members(4_000, 1)],
  ['notificationTemplate', { rules: times(39_000, () => 0) }],
  ['notificationTemplate', { rules: [{ recipients: times(39_000, () => 0) }] }],
])('%s without end are refused in few words', async (part, value) => {
  const body = { agreement: lease, chainId: 59141, [part]: value };
  const answer = await call('POST', '/v0/agreements/validate', { body });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body).length).toBeLessThan(64_000);
});

test.each<[string, string]>([
  ['numbers', `[${'0,'.repeat(200_000)}0]`],
  ['lists that never end', '['.repeat(1_000_000)],
])('a body of more values than may be is refused before it is read: %s', async (_, text) => {
  const answer = await call('POST', '/v0/agreements/validate', { text });
  expect(answer.status).toBe(413);
  expect(answer.body.error?.details).toEqual({ limitValues: 40_000 });
});

test('a text counts as one value, whatever it holds', async () => {
  const content = { type: 'md', data: '[{,"\\'.repeat(50_000) };
  const answer = await call('POST', '/v0/agreements/validate-template', { body: { ...lease, content } });
  expect(answer.status).toBe(200);
});

test('an object of more members than may be is refused before it is read', async () => {
  const body = (count: number) => ({
    body: { agreement: lease, chainId: 59141, initValues: members(count, 1) },
  });
  const within = await call('POST', '/v0/agreements/validate', body(4_096));
  expect(within).toMatchObject({ status: 400, body: { error: { details: { reason: 'invalid_values' } } } });
  const beyond = await call('POST', '/v0/agreements/validate', body(4_097));
  expect(beyond.status).toBe(413);
  expect(beyond.body.error?.details).toEqual({ limitMembers: 4_096 });
});

test.each(['/v0/agreements', '/v0/webhooks'])(
  '%s refuses a date with a fraction without end',
  async (path) => {
    const query = `createdAt[gt]=2026-01-01T00:00:00.${'1'.repeat(130)}Z`;
    expect((await call('GET', `${path}?${query}`)).status).toBe(400);
  },
);
