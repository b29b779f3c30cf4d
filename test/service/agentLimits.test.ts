import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { defaultQuotas } from '../../src/records/quotas/quotas.ts';
import { addUsage } from '../../src/records/quotas/usage.ts';
import { type Agent, connectAgent } from '../mcp/support/connectAgent.ts';
import { lamp } from './projector/support/scene.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

const refusedShape = z.object({ error: z.looseObject({ retryAfterSeconds: z.number() }) });

let service: TestService;
let internalUrl: string;
const agents: Agent[] = [];
beforeAll(async () => {
  const port = await findFreePort();
  internalUrl = `http://127.0.0.1:${port}`;
  service = await startTestService({
    env: {
      RATE_LIMIT_READS: '5',
      RATE_LIMIT_READ_BURST: '12',
      RATE_LIMIT_WRITES: '2',
      RATE_LIMIT_WRITE_BURST: '3',
    },
    internal: { host: '127.0.0.1', port, isNamed: true, allowedLagMs: 60_000, allowedHosts: [] },
  });
});
afterAll(async () => {
  for (const agent of agents) await agent.close();
  await service?.close();
});

async function connect({ key: apiKey }: TestPrincipal): Promise<Agent> {
  const agent = await connectAgent({ baseUrl: service.baseUrl, apiKey });
  agents.push(agent);
  return agent;
}

const postAs = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${service.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-api-key': key,
      ...headers,
    },
    body: JSON.stringify(body),
  });

const search = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'find_agreements', arguments: {} } };

describe('what is too much', () => {
  test.each([
    ['reads', 'find_agreements', {}],
    ['writes', 'draft_agreement', { agreement: lamp.agreement }],
  ])('of %s is a result for the agent, and is over after the reported wait', async (_, name, args) => {
    const agent = await connect(await service.createPrincipal());
    // Alone: a call counts as a request and as an operation, and many together may take all that is left before one counts twice.
    expect(await agent.call(name, args)).toMatchObject({ isError: false });
    // Sent at the same time: one after the other, calls may take as long as the limit allows.
    const answers = await Promise.all(Array.from({ length: 50 }, () => agent.call(name, args)));
    const refused = answers.find(({ isError }) => isError);
    expect(refused).toMatchObject({
      isError: true,
      data: {
        error: {
          code: 'rate_limited',
          whatToDo: expect.stringContaining('retryAfterSeconds'),
          retryAfterSeconds: expect.any(Number),
        },
      },
      text: expect.stringMatching(/^Error rate_limited: .*\nWhat to do: Wait/),
    });
    const { error } = refusedShape.parse(refused?.data);
    await delay(error.retryAfterSeconds * 1_000);
    expect(await agent.call(name, args)).toMatchObject({ isError: false });
  });

  test.each([
    ['an empty batch', [], {}],
    ['a tool call without a name', { ...search, id: 1, params: {} }, {}],
    ['a tool call with a list of arguments', { ...search, id: 1, params: { name: 'x', arguments: [] } }, {}],
    [
      'a tool call with a state that is no text',
      { ...search, id: 1, params: { ...search.params, requestState: 5 } },
      {},
    ],
    ['a body of another type', [], { 'content-type': 'text/plain' }],
    [
      'an object with very many members',
      Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [at, 0])),
      {},
    ],
    ['a tool call in an unknown revision', { ...search, id: 1 }, { 'mcp-protocol-version': '1999-01-01' }],
  ])('counts also for %s, which runs no tool', async (_name, body, headers) => {
    const { key } = await service.createPrincipal();
    const answers = await Promise.all(Array.from({ length: 50 }, () => postAs(key, body, headers)));
    expect(answers.map(({ status }) => status)).toContain(429);
    await Promise.all(answers.map((answer) => answer.body?.cancel()));
  });

  test('cannot be packed into a batch: each message of it counts', async () => {
    const { key } = await service.createPrincipal();
    const post = (body: unknown) => postAs(key, body);
    const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
    const few = await post([list(1), list(2)]);
    expect(few.status).toBe(200);
    expect((await few.text()).match(/"tools":/g)).toHaveLength(2);
    const many = await post(Array.from({ length: 20 }, (_, id) => list(id)));
    expect(many.status).toBe(429);
    expect(many.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('is a batch of many tool calls: it is refused as a whole', async () => {
    const { key } = await service.createPrincipal();
    const calls = Array.from({ length: 20 }, (_, id) => ({ ...search, id }));
    expect((await postAs(key, calls)).status).toBe(429);
  });

  test('is a flood of tool calls that want no answer', async () => {
    const { key } = await service.createPrincipal();
    const answers = await Promise.all(Array.from({ length: 50 }, () => postAs(key, search)));
    expect(answers.map(({ status }) => status)).toContain(429);
  });

  test('of gas for a day is reported with the name of the quota', async () => {
    const principal = await service.createPrincipal();
    await addUsage(service.handle.database, [
      { principalId: principal.id, gas: BigInt(defaultQuotas.gasPerDay) },
    ]);
    const agent = await connect(principal);
    const wallet = '0x00000000000000000000000000000000000000A1';
    const refused = await agent.call('submit_signed', {
      purpose: 'deploy',
      agreement: lamp.agreement,
      chainId: 59141,
      displayName: 'A lamp',
      docUri: 'ipfs://x',
      initValues: { holder: wallet, brightness: '1', remark: '' },
      signer: wallet,
      deadline: 4_000_000_000,
      signature: `0x${'1'.repeat(128)}1b`,
    });
    expect(refused).toMatchObject({
      isError: true,
      data: {
        error: {
          code: 'rate_limited',
          reason: 'quota_exceeded',
          facts: { quota: 'gasPerDay' },
          whatToDo: expect.stringContaining('larger quota'),
        },
      },
    });
  });

  test('for the key is reported too: a scope that it does not have', async () => {
    const agent = await connect(await service.createPrincipal(['agreements.read']));
    expect(await agent.call('draft_agreement', { agreement: lamp.agreement })).toMatchObject({
      isError: true,
      data: { error: { code: 'forbidden', whatToDo: expect.any(String) } },
    });
  });
});

test('a search on a chain that the service does not have is refused, not empty', async () => {
  const agent = await connect(await service.createPrincipal());
  expect(await agent.call('find_agreements', { chainId: 8453 })).toMatchObject({
    isError: true,
    data: { error: { reason: 'unsupported_chain' } },
  });
});

test('calls are counted by tool and outcome, whatever names agents make up', async () => {
  const count = async (tool: string, outcome: string) => {
    const text = await (await fetch(`${internalUrl}/metrics`)).text();
    const line = text
      .split('\n')
      .find((one) =>
        one.startsWith(`agreements_tool_call_seconds_count{tool="${tool}",outcome="${outcome}"`),
      );
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const agent = await connect(await service.createPrincipal());
  const before = await Promise.all([
    count('find_agreements', 'answered'),
    count('read_agreement', 'refused'),
    count('unknown', 'refused'),
  ]);
  await agent.call('find_agreements', {});
  await agent.call('read_agreement', { agreementId: `agr_${'0'.repeat(32)}` });
  await agent.call('made_up_by_a_model', {});
  const after = await Promise.all([
    count('find_agreements', 'answered'),
    count('read_agreement', 'refused'),
    count('unknown', 'refused'),
  ]);
  expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([1, 1, 1]);
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  expect(text).not.toContain('made_up_by_a_model');
});
