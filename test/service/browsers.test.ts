import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfiguration } from '../../src/platform/config/configuration.ts';
import { startTestApi, startTestService, type TestApi, type TestService } from './support/testService.ts';

const origin = 'https://app.example.com';
const list = '/v0/agreements';

let service: TestService;
let shared: TestApi;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  shared = await startTestApi(service.databaseUrl, {
    env: { CORS_ORIGINS: `${origin}, https://other.example`, PUBLIC_BASE_URL: 'https://agreements.example' },
  });
  ({ key } = await service.createPrincipal());
});
afterAll(async () => {
  await shared?.close();
  await service?.close();
});

async function send(
  baseUrl: string,
  { method = 'GET', path = list, ...headers }: Record<string, string> = {},
) {
  const response = await fetch(`${baseUrl}${path}`, { method, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const preflight = {
  method: 'OPTIONS',
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'x-api-key,content-type,idempotency-key',
};

const namesOf = (header: string | null) => (header ?? '').split(',').map((name) => name.trim().toLowerCase());

describe('a page of an origin that is allowed', () => {
  test('may ask beforehand for permission', async () => {
    const { status, headers, text } = await send(shared.baseUrl, { ...preflight, origin });
    expect([status, text]).toEqual([204, '']);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(namesOf(headers.get('access-control-allow-methods'))).toEqual([
      'get',
      'head',
      'post',
      'patch',
      'delete',
    ]);
    expect(namesOf(headers.get('access-control-allow-headers'))).toEqual([
      'x-api-key',
      'content-type',
      'idempotency-key',
    ]);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toContain('Origin');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('may send whatever headers its clients and its tracing add', async () => {
    const added = ['x-cns-client-app', 'x-correlation-id', 'traceparent'];
    const asked = { ...preflight, origin, 'access-control-request-headers': `x-api-key,${added.join(',')}` };
    const { headers } = await send(shared.baseUrl, asked);
    expect(namesOf(headers.get('access-control-allow-headers'))).toEqual(['x-api-key', ...added]);
    expect(headers.get('vary')).toContain('Access-Control-Request-Headers');
    const sent = Object.fromEntries(added.map((name) => [name, 'x']));
    expect((await send(shared.baseUrl, { origin, 'x-api-key': key, ...sent })).status).toBe(200);
  });

  test('may read answers and refusals, and the headers that it needs', async () => {
    const answers = [
      await send(shared.baseUrl, { origin, 'x-api-key': key }),
      await send(shared.baseUrl, { origin }),
      await send(shared.baseUrl, { origin, path: '/nowhere' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404]);
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('vary')).toContain('Origin');
      expect(namesOf(headers.get('access-control-expose-headers'))).toEqual(
        expect.arrayContaining(['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy']),
      );
    }
  });
});

describe('a page of any other origin', () => {
  test.each([['https://app.example.com.evil.example'], ['http://app.example.com'], ['null']])(
    'gets no leave: %s',
    async (other) => {
      const { headers } = await send(shared.baseUrl, { ...preflight, origin: other });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      const answer = await send(shared.baseUrl, { origin: other, 'x-api-key': key });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  test('gets no permission if no origin is configured', async () => {
    const asked = await send(service.baseUrl, { ...preflight, origin });
    expect([asked.status, asked.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const { headers } = await send(service.baseUrl, { origin, 'x-api-key': key });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

describe('CORS_ORIGINS', () => {
  const read = (origins: string) =>
    readConfiguration({
      DATABASE_URL: 'postgres://localhost/x',
      CHAINS: '59141',
      RPC_URL_59141: 'http://localhost',
      CORS_ORIGINS: origins,
    }).corsOrigins;

  test('names origins, or all of them', () => {
    expect(read('')).toEqual([]);
    expect(read('https://a.example, http://localhost:5173')).toEqual([
      'https://a.example',
      'http://localhost:5173',
    ]);
    expect(read('*')).toEqual(['*']);
  });

  test.each([['https://a.example/'], ['a.example'], ['https://A.example'], ['https://*.example']])(
    'is refused if it could never match: %s',
    (origins) => {
      expect(() => read(origins)).toThrow('CORS_ORIGINS: expected origins');
    },
  );
});

describe('every answer', () => {
  const pathsAndKeys: [string, string, Record<string, string>][] = [
    ['an answer', list, {}],
    ['a refusal', '/v0/agreements/agr_1', {}],
    ['a path that is none', '/nowhere', {}],
    ['health', '/v0/health', {}],
  ];
  test.each(pathsAndKeys)('tells browsers to run, frame and keep nothing: %s', async (_, path, headers) => {
    const answer = await send(service.baseUrl, { path, 'x-api-key': key, ...headers });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(answer.headers.get('x-powered-by')).toBeNull();
  });

  test('requires HTTPS only if the service is reached by HTTPS', async () => {
    const headersOf = async (baseUrl: string) =>
      (await send(baseUrl)).headers.get('strict-transport-security');
    expect(await headersOf(shared.baseUrl)).toBe('max-age=31536000');
    expect(await headersOf(service.baseUrl)).toBeNull();
  });

  test('to HEAD has the headers of the one to GET, and no body', async () => {
    const get = await send(service.baseUrl, { 'x-api-key': key, 'x-request-id': 'same' });
    const head = await send(service.baseUrl, { method: 'HEAD', 'x-api-key': key, 'x-request-id': 'same' });
    expect([head.status, head.text]).toEqual([200, '']);
    const ofConnection = ['connection', 'keep-alive', 'content-length', 'transfer-encoding'];
    const stable = ({ headers }: { headers: Headers }) =>
      [...headers.keys()].filter((name) => !ofConnection.includes(name));
    expect(stable(head)).toEqual(stable(get));
  });
});
