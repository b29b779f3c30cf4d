import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { AgreementsClient, InvalidResponseError } from '../../../client/src/index.ts';
import { createScripted, ok, refusal } from './support/scriptedService.ts';

const closings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closings) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

test.each([301, 302, 307, 308])(
  'a redirect, %i, takes neither the key nor a changed request elsewhere',
  async (status) => {
    const reached: string[] = [];
    const elsewhere = await serve((request, response) => {
      reached.push(`${request.method} ${request.headers['x-api-key']}`);
      response.end('{}');
    });
    const baseUrl = await serve((request, response) => {
      response.writeHead(status, { location: `${elsewhere}${request.url}` }).end();
    });
    const client = new AgreementsClient({ baseUrl, apiKey: 'agk_test_secret' });
    const error = await client.webhooks
      .create({ url: 'http://127.0.0.1:9/' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ status, message: expect.stringContaining(`${status}`) });
    expect(reached).toEqual([]);
  },
);

test('the scheme of the base URL may be written in capitals', async () => {
  const baseUrl = await serve((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"data":[],"pageInfo":{"nextCursor":null}}');
  });
  const client = new AgreementsClient({ baseUrl: baseUrl.replace('http:', 'HTTP:'), apiKey: 'agk_test_x' });
  expect((await client.agreements.list()).data).toEqual([]);
});

const inProgress = refusal(409, 'conflict', { details: { field: 'Idempotency-Key' }, retryAfter: 1 });

test('a write whose first attempt is still in progress at the service is asked for until it is done', async () => {
  vi.useFakeTimers();
  try {
    const { client, requests } = createScripted((_, at) => (at < 12 ? inProgress : ok({ id: 'whk_1' })));
    const made = client.webhooks.create({ url: 'http://127.0.0.1:9/' });
    await vi.advanceTimersByTimeAsync(25_000);
    expect(await made).toMatchObject({ id: 'whk_1' });
    expect(requests).toHaveLength(13);
  } finally {
    vi.useRealTimers();
  }
});

test('a write that stays in progress for longer than an attempt may take is given up', async () => {
  vi.useFakeTimers();
  try {
    const { client } = createScripted(() => inProgress, { timeoutMs: 5_000 });
    const failed = expect(client.webhooks.create({ url: 'http://127.0.0.1:9/' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await failed;
  } finally {
    vi.useRealTimers();
  }
});

test('events are listed to the end of the feed, although large events make its pages short', async () => {
  const feed = ['evt_1', 'evt_2', 'evt_3'];
  const { client } = createScripted(({ url }) => {
    const after = Number(url.searchParams.get('after') ?? 0);
    const data = feed.slice(after, after + 1).map((id) => ({ id }));
    return { body: { data, pageInfo: { limit: 100, nextCursor: String(after + data.length) }, meta: {} } };
  });
  const ids: string[] = [];
  for await (const { id } of client.events.list({ limit: 100 })) ids.push(id);
  expect(ids).toEqual(feed);
});

const address = '0xAbCdEf0000000000000000000000000000000001';

/** Submits an input to one agreement, then reads, and returns the tokens of each read. */
async function readAfterWrite(read: (client: AgreementsClient) => PromiseLike<unknown>) {
  const { client, requests } = createScripted(({ method }) =>
    method === 'POST'
      ? ok({ id: 'inp_1', agreementId: 'agr_1', agreementAddress: address }, { consistency: 'token' })
      : ok({}),
  );
  const signature = { v: 27 as const, r: `0x${'11'.repeat(32)}`, s: `0x${'11'.repeat(32)}` };
  await client.agreements.submitInput('agr_1', {
    inputId: 'hit',
    values: {},
    signer: address,
    deadline: 1,
    signature,
  });
  await read(client);
  return requests.at(-1)?.url.searchParams.get('consistency') ?? null;
}

test.each<[string, (client: AgreementsClient) => PromiseLike<unknown>]>([
  ['the agreement', (client) => client.agreements.get('agr_1')],
  ['its contract', (client) => client.agreements.getState(address.toLowerCase())],
  ['its inputs', (client) => client.agreements.listInputs('agr_1')],
  ['a list of agreements', (client) => client.agreements.list()],
])('a read of %s waits for an input to it', async (_, read) => {
  expect(await readAfterWrite(read)).toBe('token');
});

test.each<[string, (client: AgreementsClient) => PromiseLike<unknown>]>([
  ['another agreement', (client) => client.agreements.get('agr_2')],
  ['webhooks', (client) => client.webhooks.list()],
  ['a webhook', (client) => client.webhooks.get('whk_1')],
  ['events', (client) => client.events.list()],
])('a read of %s waits for no input to an agreement', async (_, read) => {
  expect(await readAfterWrite(read)).toBeNull();
});

test('a token that the service does not know any more fails one read, not all that follow', async () => {
  const { client, requests } = createScripted(({ method, url }) => {
    if (method === 'POST') return ok({ id: 'agr_1' }, { consistency: 'old' });
    return url.searchParams.has('consistency')
      ? refusal(400, 'bad_request', { details: { field: 'consistency' } })
      : ok({ id: 'agr_1' });
  });
  await client.agreements.import({ address, chainId: 1, agreement: {}, displayName: 'x' });
  await expect(client.agreements.get('agr_1')).rejects.toMatchObject({ code: 'bad_request' });
  expect(await client.agreements.get('agr_1')).toEqual({ id: 'agr_1' });
  expect(requests).toHaveLength(3);
});

test('a page without TLS, where browsers have no `randomUUID`, reads and writes', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  try {
    const { client, requests } = createScripted(() => ok({ id: 'whk_1' }));
    await client.webhooks.create({ url: 'http://127.0.0.1:9/' });
    await client.webhooks.create({ url: 'http://127.0.0.1:9/' });
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(2);
    expect(keys).toEqual(keys.map(() => expect.stringMatching(/^req_\d{16,48}$/)));
  } finally {
    vi.unstubAllGlobals();
  }
});

test.each([2 ** 31, Number.POSITIVE_INFINITY])(
  'a time-out of %d ms does not end at once',
  async (timeoutMs) => {
    const slow: typeof fetch = async (_, init) => {
      await delay(20);
      init?.signal?.throwIfAborted();
      return Response.json({ data: { id: 'agr_1' } });
    };
    const { client } = createScripted(() => 'never', { timeoutMs, maxRetries: 0, fetch: slow });
    expect(await client.agreements.get('agr_1')).toEqual({ id: 'agr_1' });
  },
);
