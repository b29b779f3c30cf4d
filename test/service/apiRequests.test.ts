import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/waitUntil.ts';
import { readContract } from './support/apiContract.ts';
import { type Call, createCall } from './support/call.ts';
import { exchange } from './support/exchange.ts';
import { outcome } from './support/outcome.ts';
import { startTestService, type TestService } from './support/testService.ts';

let service: TestService;
let call: Call;
beforeAll(async () => {
  service = await startTestService();
  call = (await service.createPrincipal()).call;
});
afterAll(() => service.close());

const validate = '/v0/agreements/validate';
test('health is public and in its own shape', async () => {
  const { status, body } = await createCall(service.baseUrl)('GET', '/v0/health');
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'ok', service: 'agreements', timestamp: expect.any(String) });
});

describe('what is not valid HTTP, or has too long a head', () => {
  test.each([
    ['a line without sense', 'nonsense\r\n\r\n', 'The request is not valid HTTP.'],
    [
      'a method that is none',
      'FETCH /v0/health HTTP/1.1\r\nhost: a\r\n\r\n',
      'The request is not valid HTTP.',
    ],
    [
      'a long target',
      `GET /v0/agreements?cursor=${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
      'The request target and headers are too long.',
    ],
    ['no host', 'GET /v0/health HTTP/1.1\r\nconnection: close\r\n\r\n', 'The request target is not valid.'],
    [
      'a host only in the target',
      'GET http://a/v0/health HTTP/1.1\r\nconnection: close\r\n\r\n',
      'The request target is not valid.',
    ],
  ])('is refused like all else: %s', async (_, sent, message) => {
    const { head, body } = await exchange(service.baseUrl, sent);
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    const [, requestId] = /x-request-id: (\S+)/.exec(head) ?? [];
    expect(JSON.parse(body)).toEqual({ error: { code: 'bad_request', message, requestId } });
  });
});

test.each([
  ['of HTTP/1.0 without a host', 'GET /v0/health HTTP/1.0\r\n\r\n'],
  [
    'with an unknown expectation',
    'GET /v0/health HTTP/1.1\r\nhost: a\r\nexpect: more\r\nconnection: close\r\n\r\n',
  ],
])('a request %s is served', async (_, sent) => {
  const { head, body } = await exchange(service.baseUrl, sent);
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(JSON.parse(body)).toMatchObject({ status: 'ok' });
});

describe('the request id', () => {
  test('of the caller is used where it is sane, in body, header and log', async () => {
    const { headers, body } = await call('GET', '/v0/agreements/agr_1', {
      headers: { 'x-request-id': 'trace-7' },
    });
    expect([headers.get('x-request-id'), body.error?.requestId]).toEqual(['trace-7', 'trace-7']);
    expect(service.logLines.join('')).toContain('"requestId":"trace-7"');
  });

  test.each([['x'.repeat(200)], ['two words'], ['"quoted"'], ['']])(
    'of the caller is replaced where it is %j',
    async (id) => {
      const { headers, body } = await call('GET', '/v0/agreements/agr_1', {
        headers: { 'x-request-id': id },
      });
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
      expect(body.error?.requestId).toBe(headers.get('x-request-id'));
    },
  );

  test('is in the meta of a success too', async () => {
    const { headers, body } = await call('GET', '/v0/agreements');
    expect(body.meta).toEqual({ apiVersion: 'v0', requestId: headers.get('x-request-id') });
  });
});

describe('a route', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/v0'],
    ['GET', '/v0/agreement'],
    ['GET', '/v0/agreements/'],
    ['POST', '/v1/agreements'],
    ['GET', '/v0/agreements/agr_1/state/more'],
  ])('that does not exist is not found: %s %s', async (method, path) => {
    expect(outcome(await call(method, path))).toEqual({
      status: 404,
      code: 'not_found',
      message: 'The route does not exist.',
    });
  });

  test.each([
    ['POST', '/v0/health', 'GET, HEAD'],
    ['DELETE', '/v0/docs', 'GET, HEAD'],
    ['PUT', '/v0/openapi.json', 'GET, HEAD'],
    ['DELETE', '/v0/agreements', 'GET, HEAD'],
    ['GET', validate, 'POST'],
    ['GET', '/v0/agreements/validate-template', 'POST'],
    ['PUT', '/v0/agreements/deploy-with-permit', 'POST'],
    ['POST', '/v0/agreements/agr_1', 'GET, HEAD, PATCH'],
    ['PATCH', '/v0/agreements/agr_1/state', 'GET, HEAD'],
    ['GET', '/v0/agreements/agr_1/input', 'POST'],
    ['OPTIONS', '/v0/agreements/agr_1/inputs', 'GET, HEAD'],
  ])('with another method is refused: %s %s', async (method, path, allowed) => {
    const answer = await call(method, path);
    expect(outcome(answer)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(answer.headers.get('allow')).toBe(allowed);
  });

  test.each([['/v0/health'], ['/v0/openapi.json'], ['/v0/docs']])(
    'that is public answers HEAD as GET, without a body: %s',
    async (path) => {
      const get = await fetch(`${service.baseUrl}${path}`);
      await get.text();
      const head = await fetch(`${service.baseUrl}${path}`, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      for (const name of ['content-type', 'content-security-policy', 'cache-control'])
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      expect(head.headers.get('x-request-id')).toMatch(/^req_/);
    },
  );
});

describe('a body', () => {
  test.each([
    ['of another type', { text: '{}', headers: { 'content-type': 'text/plain' } }, 415],
    [
      'in another encoding',
      { text: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } },
      415,
    ],
    ['that is compressed', { text: '{}', headers: { 'content-encoding': 'gzip' } }, 415],
    ['that is marked as not compressed', { text: '[]', headers: { 'content-encoding': 'identity' } }, 400],
    ['that is missing', { text: '' }, 400],
    ['that is missing, and with it the type', {}, 400],
    ['that is no JSON', { text: '{"agreement":' }, 400],
    ['that is no object', { text: '[]' }, 400],
    [
      'with members that are not known',
      { text: '{"agreement":{},"chainId":59141,"colour":1,"__proto__":{}}' },
      400,
    ],
    ['with NUL in a text', { body: { agreement: {}, chainId: 59141, observers: ['a\0@b.example'] } }, 400],
    ['with half a surrogate pair', { text: '{"agreement":{"a":"\\ud800"},"chainId":59141}' }, 400],
    ['with NUL in a name', { text: '{"agreement":{"a\\u0000":1},"chainId":59141}' }, 400],
    ['with a number that is none of a chain', { body: { agreement: {}, chainId: 1.5 } }, 400],
    ['with a number past 2^53', { text: '{"agreement":{},"chainId":9007199254740993}' }, 400],
  ])('%s is refused', async (_, options, status) => {
    const answer = await call('POST', validate, options);
    expect(answer.status).toBe(status);
    expect(outcome(answer)).toMatchSnapshot();
  });

  test('without a type is refused for that', async () => {
    const response = await fetch(`${service.baseUrl}${validate}`, {
      method: 'POST',
      headers: { 'x-api-key': (await service.createPrincipal()).key },
      body: Buffer.from('{}'),
    });
    expect(response.status).toBe(415);
  });

  test('that is not UTF-8 is refused', async () => {
    const response = await fetch(`${service.baseUrl}${validate}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': (await service.createPrincipal()).key },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect(response.status).toBe(400);
  });

  test('that nests without end is refused without harm', async () => {
    const depth = 30_000;
    const text = `{"agreement":${'['.repeat(depth)}${']'.repeat(depth)},"chainId":59141}`;
    expect(outcome(await call('POST', validate, { text }))).toMatchSnapshot();
    const elsewhere = `{"agreement":{},"chainId":59141,"x":${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}}`;
    expect((await call('POST', validate, { text: elsewhere })).status).toBe(400);
  });

  test.each([
    ['with many faults under a long name', '/v0/sessions', { ['x'.repeat(1_000_000)]: Array(20).fill('\0') }],
    ['with a long unknown name', '/v0/sessions', { ['x'.repeat(1_000_000)]: 1 }],
    ['with a long unknown name, for a wallet', '/v0/wallet/challenges', { ['y'.repeat(1_000_000)]: 1 }],
  ])('%s is refused in few words, in answer and log', async (_, path, body) => {
    const logged = service.logLines.join('').length;
    const headers = { 'x-agreements-session': '1' };
    const answer = await createCall(service.baseUrl)('POST', path, { body, headers });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
    const id = answer.headers.get('x-request-id') ?? '';
    await waitUntil('it is logged', () => service.logLines.join('').includes(id));
    expect(service.logLines.join('').length - logged).toBeLessThan(10_000);
  });

  test('with an input whose name is long is refused without the name', async () => {
    const body = { inputId: 'x'.repeat(1_000_000), values: {}, signer: `0x${'1'.repeat(40)}` };
    const answer = await call('POST', '/v0/agreements/agr_1/input-typed-data', { body });
    expect(answer.body.error).toMatchObject({
      details: { issues: [{ path: 'inputId', message: 'must have no more than 1000 characters' }] },
    });
  });

  test('whose announced size is over the limit is refused unread', async () => {
    const answer = await call('POST', validate, { text: `"${'x'.repeat(1_048_576)}"` });
    expect(outcome(answer)).toMatchSnapshot();
    expect(answer.status).toBe(413);
  });

  test('that never ends is refused as soon as it is over the limit', async () => {
    const { key } = await service.createPrincipal();
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    await once(socket, 'connect');
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', () => {});
    const head = `POST ${validate} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    socket.write(head);
    const chunk = `10000\r\n${' '.repeat(0x1_0000)}\r\n`;
    let sent = 0;
    while (received.length === 0 && sent < 64 && !socket.destroyed) {
      sent++;
      if (!socket.write(chunk))
        await Promise.race([once(socket, 'drain'), once(socket, 'data'), once(socket, 'close')]);
      else await new Promise((resolve) => setImmediate(resolve));
    }
    if (received.length === 0) await once(socket, 'data');
    socket.destroy();
    expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('in chunks of a byte is refused as soon as it takes too long to read', async () => {
    const { key } = await service.createPrincipal();
    const send = async (text: string) => {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
      const received: Buffer[] = [];
      socket.on('data', (chunk) => received.push(chunk));
      socket.on('error', () => {});
      const chunks = [...text].map((byte) => `1\r\n${byte}\r\n`).join('');
      const head = `POST ${validate} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;
      socket.write(`${head}${chunks}0\r\n\r\n`);
      await once(socket, 'close');
      const [answer = '', body = ''] = Buffer.concat(received).toString().split('\r\n\r\n');
      return { status: answer.slice(9, 12), body };
    };
    const beyond = await send(`"${'x'.repeat(1_023)}"`);
    expect([beyond.status, JSON.parse(beyond.body)]).toEqual([
      '413',
      {
        error: expect.objectContaining({
          message: 'The body must be sent in no more than 1024 chunks.',
          details: { limitChunks: 1_024 },
        }),
      },
    ]);
    expect((await send(`"${'x'.repeat(1_022)}"`)).status).toBe('400');
  });

  test.each([
    ['with a length', 'content-length: 100'],
    ['in chunks', 'transfer-encoding: chunked'],
  ])('that its sender does not complete, %s, is no fault of the service', async (_, header) => {
    const { key } = await service.createPrincipal();
    const requestId = `incomplete-${header.length}`;
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    const head = `POST ${validate} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\nx-request-id: ${requestId}`;
    const begun = `${head}\r\ncontent-type: application/json\r\n${header}\r\n\r\n1\r\n{\r\n`;
    socket.write(begun, () => socket.destroy());
    const linesOf = () => service.logLines.filter((line) => line.includes(requestId));
    await waitUntil('its end is logged', () => linesOf().length > 0);
    expect(linesOf().map((line) => JSON.parse(line))).toMatchObject([{ level: 30, status: 400 }]);
  });

  test('of a target that is no URL is refused with the error object', async () => {
    const { head, body } = await exchange(
      service.baseUrl,
      'GET /v0/health HTTP/1.1\r\nhost: bad host/\r\nconnection: close\r\n\r\n',
    );
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(body).toContain('"code":"bad_request"');
  });
});

describe('a query', () => {
  test.each([
    ['/v0/agreements/agr_1?colour=red'],
    ['/v0/agreements?__proto__=1'],
    ['/v0/agreements?limit=0'],
    ['/v0/agreements?limit=101'],
    ['/v0/agreements?limit=100000'],
    ['/v0/agreements?limit=ten'],
    ['/v0/agreements?limit=1&limit=2'],
    ['/v0/agreements?cursor=nonsense'],
    ['/v0/agreements?sort[createdAt]=up'],
    ['/v0/agreements?sort[createdAt]=asc&sort[updatedAt]=asc'],
    ['/v0/agreements?sort[colour]=asc'],
    ['/v0/agreements?createdAt[gt]=yesterday'],
    ['/v0/agreements?createdAt[gt]=0000-01-01T00:00:00Z'],
    ['/v0/agreements?createdAt[gt]=2026-01-01T00:00:00%2B16:00'],
    [`/v0/agreements?createdAt[gt]=2026-01-01T00:00:00.${'1'.repeat(130)}Z`],
    ['/v0/agreements?createdAt[gt]=2026-01-01'],
    ['/v0/agreements?createdAt[eq]=2026-01-01T00:00:00Z'],
    ['/v0/agreements?chainId=99999999999'],
    ['/v0/agreements?state=%00'],
    ['/v0/agreements?state=%FF'],
    ['/v0/agreements?limit=1&createdAt%5Bgt%5D=100%'],
    ['/v0/agreements?%ED%A0%80=1'],
    ['/v0/agreements?createdAt[gt]=2026-01-01T00:00:00+01:00'],
    ['/v0/agreements/agr_1/inputs?status=LOST'],
    ['/v0/agreements/agr_1/inputs?sort[displayName]=asc'],
  ])('that the route does not support is refused: %s', async (path) => {
    const answer = await call('GET', path);
    expect(answer.status).toBe(400);
    expect(outcome(answer)).toMatchSnapshot();
  });
});

test('a chain that the installation does not have is refused by every route that takes one', async () => {
  const { document } = await readContract(service.baseUrl);
  const taking = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { parameters }]) => parameters.some(({ name }) => name === 'chainId'))
      .map(([method, { responses }]) => ({ method, path, responses })),
  );
  expect(taking.length).toBeGreaterThan(6);
  for (const { method, path, responses } of taking) {
    const target = `${path.replaceAll(/\{\w+\}/g, 'agr_1')}?chainId=1`;
    const answer = await call(method.toUpperCase(), target, method === 'get' ? {} : { body: {} });
    expect(outcome(answer)).toMatchObject({
      status: 400,
      message: 'unsupported chainId',
      details: { reason: 'unsupported_chain', field: 'chainId', chainId: 1 },
    });
    expect(JSON.stringify(responses['400'])).toContain('unsupported_chain');
  }
});

test('a failure inside shows nothing of itself, and is logged with the request id', async () => {
  const broken = await startTestService();
  const { key } = await broken.createPrincipal();
  await broken.handle.pool.query('drop table service.records cascade');
  const answer = await createCall(broken.baseUrl, key)('GET', '/v0/agreements', {
    headers: { 'x-request-id': 'lost' },
  });
  expect(outcome(answer)).toEqual({
    status: 500,
    code: 'internal_error',
    message: 'The service failed to answer.',
  });
  const logged = broken.logLines.find((line) => line.includes('"requestId":"lost"'));
  expect(logged).toContain('service.records');
  await broken.close();
});
