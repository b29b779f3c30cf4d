import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployPingPong } from '../client/support/agreements.ts';
import { createAccount, stack } from '../client/support/stack.ts';
import { type Agent, connectAgent } from './support/connectAgent.ts';

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

const posted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const post = (headers: Record<string, string>, body: unknown = hello, signal: AbortSignal | null = null) =>
  fetch(`${stack.baseUrl}/mcp`, {
    method: 'POST',
    signal,
    headers: { ...posted, ...headers },
    body: JSON.stringify(body),
  });

describe('the door', () => {
  const key = { 'x-api-key': stack.apiKey };

  test.each([
    ['no key', {}, 401],
    ['a key that nobody has', { 'x-api-key': `agk_test_${'0'.repeat(64)}` }, 401],
    ['the cookie of a browser alone', { cookie: 'agreements_session=x', 'x-agreements-session': '1' }, 401],
    ['a page of another origin', { ...key, origin: 'https://evil.example' }, 403],
    ['a page that hides its origin', { ...key, origin: 'null' }, 403],
    ['a page of the service', { ...key, origin: stack.baseUrl }, 200],
    ['a key as Bearer', { authorization: `Bearer ${stack.apiKey}` }, 200],
  ])('%s is answered with its status and an id', async (_name, headers, status) => {
    const response = await post(headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    await response.body?.cancel();
  });

  test('bodies that are too large, no JSON or of another type are refused before anything is done', async () => {
    const large = await post(key, { ...hello, filling: 'x'.repeat(1_100_000) });
    expect(large.status).toBe(413);
    expect((await post({ ...key, 'content-type': 'text/plain' })).status).toBe(415);
  });

  test.each([
    ['broken', '{'],
    ['empty', ''],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('a body that is %s is a parse error of the protocol', async (_name, body) => {
    const headers = { ...key, 'content-type': 'application/json' };
    const response = await fetch(`${stack.baseUrl}/mcp`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(response.headers.get('ratelimit')).toMatch(/^"read"/);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_700, message: expect.stringMatching(/^Parse error: The body is /) },
    });
  });

  test.each(['/mcp/', '/mcp/compat/'])('%s is the same endpoint as without the slash', async (path) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { ...key, ...posted };
    const asked = { method: 'POST', headers, body };
    const [plain, slashed] = await Promise.all(
      [path.slice(0, -1), path].map(async (each) => (await fetch(`${stack.baseUrl}${each}`, asked)).text()),
    );
    expect(slashed).toContain('"tools":[');
    expect(slashed).toBe(plain);
  });

  test.each([
    ['subscriptions/listen', {}],
    ['resources/subscribe', { uri: 'agreements://guide' }],
  ])('%s, whose stream would stay open, is no method, as each revision says it', async (method, params) => {
    const asked = { jsonrpc: '2.0', id: 2, method, params };
    for (const [headers, status] of [
      [{}, 200],
      [{ 'mcp-protocol-version': '2025-06-18' }, 200],
      [{ 'mcp-protocol-version': '2026-07-28' }, 404],
    ] as const) {
      const response = await post({ ...key, ...headers }, asked);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32_601, message: 'Method not found' },
      });
    }
  });

  test('a subscription is refused to the client of 2025 by an error of the protocol', async () => {
    const agent = await connectAgent(stack, { revision: '2025' });
    const subscribing = agent.client.request({
      method: 'resources/subscribe',
      params: { uri: 'agreements://guide' },
    });
    await expect(subscribing).rejects.toMatchObject({ code: -32_601 });
    await agent.close();
  });

  test('a stream of the server is not opened', async () => {
    const get = await fetch(`${stack.baseUrl}/mcp`, { headers: { ...key, accept: 'text/event-stream' } });
    expect(get.status).toBe(405);
  });
});

test('a batch that cancels its own request is answered whole, and its stream ends', async () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const key = { 'x-api-key': stack.apiKey };
  for (const batch of [
    [list, cancel],
    [cancel, list],
  ]) {
    const response = await post(key, batch, AbortSignal.timeout(5_000));
    expect(await response.text()).toContain('"tools":[');
  }
  expect((await post(key, [cancel])).status).toBe(202);
});

describe('refusals', () => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connectAgent(stack);
  });
  afterAll(() => agent.close());

  test('are results with a reason and what to do', async () => {
    const { id: agreementId } = await deployPingPong();
    const { address: signer } = createAccount();
    const cases = [
      ['read_agreement', { agreementId: `agr_${'0'.repeat(32)}` }, { code: 'not_found' }],
      ['read_agreement', { id: 1 }, { code: 'bad_request' }],
      ['no_such_tool', {}, { code: 'bad_request' }],
      [
        'prepare_signature',
        { purpose: 'input', agreementId, inputId: 'nope', signer },
        { code: 'bad_request', reason: 'unknown_input' },
      ],
      [
        'submit_signed',
        { purpose: 'input', agreementId, inputId: 'hit', signer, deadline: 1, signature: '0x12' },
        { code: 'bad_request', field: 'signature' },
      ],
      ['simulate_agreement', { steps: [] }, { code: 'bad_request' }],
      [
        'simulate_agreement',
        { agreementId, initValues: { a: 'b' }, steps: [] },
        { code: 'bad_request', issues: [{ path: 'initValues', message: expect.any(String) }] },
      ],
      ['find_agreements', { cursor: 'x' }, { code: 'bad_request' }],
    ] as const;
    for (const [name, args, error] of cases) {
      const answer = await agent.call(name, args);
      expect(answer, name).toMatchObject({
        isError: true,
        data: { error: { ...error, message: expect.any(String), whatToDo: expect.any(String) } },
        text: expect.stringMatching(/What to do: /),
      });
    }
  });

  test('of a document without participants, a check says that there are none', async () => {
    const execution = { initialize: { initialState: 'A' }, states: { A: {} }, inputs: {}, transitions: [] };
    const metadata = { id: 'did:example:alone', name: 'Alone' };
    const agreement = { metadata, variables: {}, content: { type: 'md', data: '' }, execution };
    const { text } = await agent.call('draft_agreement', { agreement });
    expect(text).toContain('0 inputs, no participants.');
  });

  test('a resource that is not there, or is no address of one, is not found', async () => {
    for (const uri of [`agreements://agr_${'0'.repeat(32)}`, 'agreements://x/../y', 'file:///etc/passwd'])
      await expect(agent.client.readResource({ uri })).rejects.toThrow(/not found/i);
  });
});
